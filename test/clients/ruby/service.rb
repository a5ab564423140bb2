# frozen_string_literal: true

# A service for each test; `JOBSTRAND_BINARY` is the program.
require "fileutils"
require "minitest/autorun"
require "open3"
require "tmpdir"
require "uri"
require "jobstrand"

PATIENCE_S = 60

def eventually(what)
  give_up = Process.clock_gettime(Process::CLOCK_MONOTONIC) + PATIENCE_S
  until yield
    raise "not within its time: #{what}" if Process.clock_gettime(Process::CLOCK_MONOTONIC) > give_up

    sleep 0.02
  end
end

# `jobstrand serve` on a SQLite database.
class Service
  attr_reader :address, :file

  def initialize(folder)
    @folder = folder
    @file = "#{folder}/jobs.db"
    run("schema", "create")
    serve(0)
  end

  def run(*words)
    said, status = Open3.capture2e({ "JOBSTRAND_DB" => "sqlite:jobs.db" }, ENV.fetch("JOBSTRAND_BINARY"), *words, chdir: @folder)
    raise said unless status.success?
  end

  def client
    @client ||= Jobstrand::Client.new(@address)
  end

  def place(name)
    client.get("/api/v1/stats")["places"][name]
  end

  def locked
    client.get("/api/v1/stats")["locked"]["external"]
  end

  def job(id)
    client.get("/api/v1/jobs/#{id}")
  end

  def enqueue(count, **options)
    client.call("POST", "/api/v1/jobs", Array.new(count) { |number| Jobstrand::NewJob.new("mail", number, external: true, **options).to_h })["ids"]
  end

  def end_by(signal)
    Process.kill(signal, @process)
    Process.wait(@process)
  end

  def again
    serve(URI(@address).port)
  end

  private

  def serve(port)
    log = "#{@folder}/service.log"
    @process = spawn({ "JOBSTRAND_DB" => "sqlite:jobs.db" }, ENV.fetch("JOBSTRAND_BINARY"), "serve", "--http", "127.0.0.1:#{port}",
                     chdir: @folder, err: [log, "w"])
    eventually("the service is ready") { File.read(log).include?(" clock_skew_ms=") }
    @address = "http://127.0.0.1:#{File.read(log)[/\bport=(\d+)/, 1]}"
  end
end

class WithService < Minitest::Test
  def setup
    @folder = Dir.mktmpdir
    @service = Service.new(@folder)
  end

  def teardown
    @service.end_by("TERM")
    FileUtils.rm_rf(@folder)
  end
end
