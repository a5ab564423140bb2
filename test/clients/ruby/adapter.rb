# frozen_string_literal: true

# Does with the package for Ruby what behaviours.py tells it: `ruby adapter.rb ORIGIN DATABASE`.
require "json"
require "jobstrand"
require "time"
require "uri"

TICK_S = 0.01

# Results that JSON cannot say.
ODD = [-> { { n: Float::NAN } }, -> { { bytes: "\xff" } }, -> { { n: Float::INFINITY } }].freeze

class OutOfInk < StandardError; end

PRINTING = Mutex.new
$stdout.sync = true

def say(**what)
  PRINTING.synchronize { puts JSON.generate(what) }
end

# What the package logs.
class Log
  def write(line)
    say(log: line.strip)
  end

  def close; end
end

# A connection, in a transaction that is carried out to its end or rolled back.
def in_transaction(url, is_kept)
  connection, run, close = connected(url)
  run.call("BEGIN")
  id = yield connection
  run.call(is_kept ? "COMMIT" : "ROLLBACK")
  id
ensure
  close&.call
end

def connected(url)
  if url.start_with?("sqlite:")
    require "sqlite3"
    connection = SQLite3::Database.new(url.delete_prefix("sqlite:"))
    connection.busy_timeout = 60_000
    return [connection, ->(sql) { connection.execute(sql.sub("BEGIN", "BEGIN IMMEDIATE")) }, -> { connection.close }]
  end
  if url.start_with?("postgres")
    require "pg"
    connection = PG.connect(url)
    return [connection, ->(sql) { connection.exec(sql) }, -> { connection.close }]
  end
  require "mysql2"
  there = URI(url)
  connection = Mysql2::Client.new(host: there.host, port: there.port, username: there.user, password: there.password, database: there.path[1..], encoding: "utf8mb4")
  [connection, ->(sql) { connection.query(sql) }, -> { connection.close }]
end

def options_of(told)
  told.to_h do |name, value|
    case name
    when "due" then [:due, Time.iso8601(value)]
    when "words" then [:due, value]
    else [name.gsub(/[A-Z]/) { |letter| "_#{letter.downcase}" }.to_sym, value]
    end
  end
end

# The steps that a handler is made of.
class Steps
  def initialize(steps)
    @steps = steps
  end

  def call(job)
    say(began: job.id, topic: job.handler_type, attempt: job.attempts + 1)
    @steps.reduce(nil) { |_, step| carry_out(job, step) }
  ensure
    say(ended: job.id)
  end

  private

  def carry_out(job, step)
    (verb, value), *more = step.to_a
    send("#{verb}_", job, value, *more.map(&:last))
  end

  # Only in the first attempt.
  def first_(job, steps)
    steps.each { |step| carry_out(job, step) } if job.attempts.zero?
  end

  def return_(_, value)
    value
  end

  def give_(job, value)
    job.hand_on(value == "payload" ? { given: job.payload } : value)
  end

  # A result that JSON cannot say.
  def odd_(job, number)
    job.hand_on(ODD[number % ODD.size].call)
  end

  def raise_(_, message, cause = nil)
    raise KeyError, cause if cause

    raise OutOfInk, message
  rescue KeyError
    raise OutOfInk, message
  end

  def fail_(_, told)
    raise Jobstrand::Fail.new(told["message"], retry_after: told["retryAfter"], retries: told["retries"])
  end

  def business_(_, told)
    raise Jobstrand::BusinessError.new(told["code"], told["message"], variables: told["variables"])
  end

  # The file is there.
  def until_(_, path)
    sleep TICK_S until File.exist?(path)
  end

  # That it is to end.
  def hear_(job, _)
    sleep TICK_S until job.cancelled?
    say(heard: job.id)
  end
end

# What it is told.
class Adapter
  def initialize(origin, url)
    @client = Jobstrand::Client.new(origin)
    @url = url
  end

  def enqueue(told, by)
    type, payload = told.delete("handlerType"), told.delete("payload")
    options = options_of(told)
    id = by == "http" ? @client.enqueue(type, payload, **options) : add(by == "sql", type, payload, options)
    say(id: id)
  rescue StandardError => e
    say(refused: "#{e.class}: #{e.message}")
  end

  def work(told)
    more = told["tenant"] ? { tenant_id: told["tenant"] } : {}
    @worker = Jobstrand::Worker.new(@client, threads: told["places"], lock: told["lock"], wait: told["wait"], logger: Logger.new(Log.new), **more)
    told["handlers"].each do |topic, steps|
      handler = Steps.new(steps)
      @worker.handle(topic) { |job| handler.call(job) }
    end
    @running = Thread.new { @worker.run(signals: false) }
    say(working: true)
  end

  def stop(part)
    @worker.stop
    @running.join if part == "end"
    say(stopped: part)
  end

  private

  def add(is_kept, type, payload, options)
    in_transaction(@url, is_kept) { |connection| Jobstrand.enqueue(connection, type, payload, **options) }
  end
end

adapter = Adapter.new(*ARGV)
$stdin.each_line do |line|
  (verb, value), *more = JSON.parse(line).to_a
  adapter.public_send(verb, value, *more.map(&:last))
end
