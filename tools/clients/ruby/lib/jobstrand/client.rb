# frozen_string_literal: true

require "json"
require "net/http"
require "uri"

module Jobstrand
  # A service over HTTP. It may be used by several threads, each of which has a connection of its
  # own.
  class Client
    # What Net::HTTP raises when no answer comes.
    AWAY = [SystemCallError, SocketError, IOError, Timeout::Error, Net::ProtocolError,
            OpenSSL::SSL::SSLError].freeze

    attr_reader :address

    # Of the service that JOBSTRAND_URL names, with the token on the first line of the file that
    # JOBSTRAND_TOKEN_FILE names, if it does.
    def self.from_environment(environment = ENV)
      file = environment["JOBSTRAND_TOKEN_FILE"]
      new(environment.fetch("JOBSTRAND_URL", "http://127.0.0.1:8080"),
          token: file && File.open(file, &:readline).chomp)
    end

    def initialize(address, token: nil, timeout: 30, retries: 2)
      @uri = URI.parse(address)
      is_http = @uri.is_a?(URI::HTTP) && @uri.host
      raise ArgumentError, "not the address of a service: #{address}" unless is_http

      @address = address.chomp("/")
      @token = token
      @timeout = timeout
      @retries = retries
      @key = :"jobstrand_#{object_id}"
    end

    # Adds a job; when this returns its id, it is committed. It is asked again when no answer comes,
    # with an Idempotency-Key, so that the job is not doubled. The options are those of NewJob.
    def enqueue(handler_type, payload = nil, **options)
      again("POST", "/api/v1/jobs", NewJob.new(handler_type, payload, **options).to_h)["id"]
    end

    # The same for many of NewJob, up to 10,000: all of them are added, or none. Returns their ids.
    def enqueue_all(jobs)
      again("POST", "/api/v1/jobs", jobs.map(&:to_h))["ids"]
    end

    # Reads what stands at a path of docs/http.md, such as /api/v1/stats.
    def get(path)
      again("GET", path, nil)
    end

    # Asks for any operation of docs/http.md, once.
    def call(method, path, body = nil, wait: 0, key: nil)
      request = Net::HTTPGenericRequest.new(method, !body.nil?, true, @uri.path.chomp("/") + path)
      request["Accept"] = "application/json"
      request["Authorization"] = "Bearer #{@token}" if @token
      request["Idempotency-Key"] = key if key
      if body
        request["Content-Type"] = "application/json"
        request.body = body.is_a?(String) ? body : JSON.generate(body)
      end
      answer_to(request, @timeout + wait)
    end

    # Whether the same request may succeed later.
    def self.worth_waiting?(error)
      return error.is_a?(Unreachable) unless error.is_a?(Refused)

      error.status >= 500 || [408, 429].include?(error.status)
    end

    # Seconds before the next try: ever longer, up to five, and never of all clients at the same
    # time.
    def self.pause(failures, error)
      wait = error.is_a?(Refused) && error.retry_after
      (wait || [0.1 * (2**failures), 5].min) * rand(0.8..1.2)
    end

    private

    def again(method, path, body)
      key = method == "POST" ? Insertion.fresh_id : nil
      failures = 0
      begin
        call(method, path, body, key: key)
      rescue Unreachable, Refused => e
        raise if failures == @retries || !Client.worth_waiting?(e)

        sleep Client.pause(failures, e)
        failures += 1
        retry
      end
    end

    def answer_to(request, timeout)
      http = connection
      http.read_timeout = timeout
      answer = http.request(request)
      raise refusal(answer) if answer.code.to_i >= 400

      answer.body.to_s.empty? ? nil : JSON.parse(answer.body)
    rescue *AWAY => e
      forget_connection
      raise Unreachable, "no answer from #{@address}: #{e.message}"
    end

    def connection
      Thread.current[@key] ||= begin
        http = Net::HTTP.new(@uri.host, @uri.port)
        http.use_ssl = @uri.scheme == "https"
        http.open_timeout = http.write_timeout = @timeout
        http.max_retries = 0
        # The service ends connections that were idle for a minute; an older one is not used again.
        http.keep_alive_timeout = 50
        http.start
      end
    end

    def forget_connection
      Thread.current[@key]&.finish
    rescue IOError
      nil # It was closed already.
    ensure
      Thread.current[@key] = nil
    end

    def refusal(answer)
      problem = begin
        JSON.parse(answer.body)
      rescue JSON::ParserError
        {} # Something between here and the service has answered.
      end
      seconds = answer["Retry-After"]
      retry_after = seconds.to_i if seconds&.match?(/\A\d+\z/)
      detail = problem["detail"] || "HTTP #{answer.code}"
      Refused.of(answer.code.to_i, detail, problem["errors"] || [], retry_after)
    end
  end
end
