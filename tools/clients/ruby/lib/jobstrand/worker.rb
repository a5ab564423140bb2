# frozen_string_literal: true

require "json"
require "logger"
require "securerandom"
require "socket"

module Jobstrand
  # A job that a worker holds.
  class Job
    MOST = 8 * 1024 * 1024 # Bytes of variables, which is what the service takes.

    # All that the service tells of it, by the names of the service.
    attr_reader :to_h
    attr_reader :variables

    def initialize(told)
      @to_h = told
    end

    def id
      @to_h["id"]
    end

    def handler_type
      @to_h["handlerType"]
    end

    # What JSON says, with texts as keys.
    def payload
      @to_h["payload"]
    end

    # How many attempts have failed: 0 at first.
    def attempts
      @to_h["attempts"]
    end

    # How many attempts are left, this one included.
    def retries
      @to_h["retries"]
    end

    # Has these handed on to the app when the handler returns. Raises for what JSON cannot say.
    def hand_on(variables)
      text = JSON.generate(variables)
      size = text.bytesize
      raise ArgumentError, "the variables are too long: #{size} bytes" if size > MOST

      @variables = text
    end

    # Whether the handler is to end: the job was cancelled or its lock lost, or the worker stops and
    # its grace is over.
    def cancelled?
      !@cancelled.nil?
    end

    # :lost, :stopped, or nil.
    attr_reader :cancelled

    # :nodoc:
    def cancel(why)
      @cancelled ||= why
    end

    # :nodoc: as the service wants it named
    def named
      { id: id, revision: @to_h["revision"] }
    end
  end

  # Takes external jobs from a service, runs a handler for each, and says what became of it. A job
  # may come twice, when its worker dies or stands still for longer than its lock; handlers must
  # bear that.
  #
  #   worker = Jobstrand::Worker.new(Jobstrand::Client.new("http://127.0.0.1:8080"))
  #   worker.handle("mail") { |job| send_mail(job.payload["order"]) }
  #   worker.run
  #
  # A handler that returns, whatever it is, has done its job; what it raises has failed the attempt.
  class Worker
    PATH = "/api/v1/external-jobs/"
    PER_REQUEST = 1000
    MOST_BYTES = 4 << 20 # Of results: with one more the request is shorter than the service takes.
    LOOK = 0.8 # Seconds: how often it is asked whether jobs are held still.

    # Ends the request that waits for jobs.
    class Stopping < StandardError; end
    private_constant :Stopping

    # Durations are seconds: +lock+ is prolonged while a job is held, +wait+ is how long one request
    # waits for jobs, +grace+ is for running handlers after a stop.
    def initialize(client, threads: 8, name: nil, lock: 300, wait: 5, grace: 30, tenant_id: nil,
                   logger: Logger.new($stderr, progname: "jobstrand"))
      @client = client
      @threads = threads
      @name = name || "#{Socket.gethostname}-#{Process.pid}-#{SecureRandom.hex(4)}"
      @lock = lock
      @wait = wait
      @grace = grace
      @tenant_id = tenant_id
      @logger = logger
      @handlers = {}
      @mutex = Mutex.new
      @changed = ConditionVariable.new
      @held = {}
      @busy = 0
      @waiting = Queue.new
      @results = Queue.new
      @failing = {}
    end

    # Names the handler of a handler type, which workers call a topic.
    def handle(topic, &handler)
      raise ArgumentError, "a handler is a block" unless handler

      @handlers[topic] = handler
      self
    end

    # Works until stop is called or, with +signals+, the process gets SIGTERM or SIGINT: then
    # running handlers may end, the other jobs are given back, and the service is told of all
    # results. Raises what the service refuses for good, such as a wrong token.
    def run(signals: true)
      raise ArgumentError, "a worker needs a handler" if @handlers.empty?

      @logger.info("worker #{@name} starts: serves #{@handlers.keys.join(", ")} " \
                   "at #{@threads} places, of #{@client.address}")
      previous = (signals ? %w[TERM INT] : []).to_h do |name|
        [name, trap(name) { Thread.new { stop } }]
      end
      work
    ensure
      previous&.each { |name, handler| trap(name, handler) }
    end

    # Has run end; it may be called from any thread, but for a handler that then waits for it.
    def stop
      @mutex.synchronize do
        return if @stopping

        @stopping = true
        @changed.broadcast
        @fetcher&.raise(Stopping)
      end
    end

    private

    def work
      places = Array.new(@threads) { Thread.new { work_at_a_place } }
      teller = Thread.new { tell_all }
      keeper = Thread.new { keep_locks }
      fetch
      drain
      @results.close
      teller.join
      @mutex.synchronize do
        @closed = true
        @changed.broadcast
      end
      keeper.join
      give_unknown_back
    ensure
      @waiting.close
      places&.each { |place| place.join(0.1) }
    end

    def fetch
      Thread.handle_interrupt(Stopping => :never) do
        @mutex.synchronize { @fetcher = Thread.current unless @stopping }
        failures = 0
        while (free = wait_for_room)
          begin
            add(Thread.handle_interrupt(Stopping => :immediate) { acquire(free) })
            recovered(:fetch)
            failures = 0
          rescue Unreachable, Refused => e
            raise unless Client.worth_waiting?(e)

            failing(:fetch, e)
            pause(Client.pause(failures += 1, e))
          end
        end
      rescue Stopping
        nil # That was the end of it.
      ensure
        @mutex.synchronize { @fetcher = nil }
        stop
      end
    rescue Stopping
      nil # It came when nothing was asked for any more.
    end

    # Returns how many places are free, as soon as one is; nil: it stops.
    def wait_for_room
      @mutex.synchronize do
        @changed.wait(@mutex) until @stopping || @busy < @threads
        @stopping ? nil : @threads - @busy
      end
    end

    def acquire(free)
      order = { worker: @name, topics: @handlers.keys, jobs: [free, PER_REQUEST].min,
                lockDuration: NewJob.duration(@lock), wait: NewJob.duration(@wait) }
      order[:tenantId] = @tenant_id if @tenant_id
      answer = @client.call("POST", "#{PATH}acquire", order, wait: @wait)
      answer["items"].map { |told| Job.new(told) }
    end

    # A job that is held already has come again, so the lock of its former run is lost.
    def add(jobs)
      @mutex.synchronize do
        jobs.each do |job|
          @held[job.id]&.cancel(:lost)
          @held[job.id] = job
        end
        @busy += jobs.size
      end
      jobs.each { |job| @waiting << job }
    end

    def pause(seconds)
      @mutex.synchronize { @changed.wait(@mutex, seconds) unless @stopping }
    end

    def work_at_a_place
      while (job = @waiting.pop)
        text = @stopping ? nil : result_of(job)
        text ? @results << [job, text] : give_back([job])
        free_place
      end
    end

    def free_place
      @mutex.synchronize do
        @busy -= 1
        @changed.broadcast
      end
    end

    # What became of a job, in JSON, so that none can spoil another; nil: it is given back.
    def result_of(job)
      @handlers[job.handler_type].call(job)
      variables = job.variables ? %(,"variables":#{job.variables}) : ""
      %(#{JSON.generate(job.named)[0...-1]},"outcome":"complete"#{variables}})
    rescue Exception => e # rubocop:disable Lint/RescueException
      # Whatever it is, it is the failure of this job alone.
      job.cancelled == :stopped ? nil : failure_of(job, e)
    end

    def failure_of(job, error)
      JSON.generate(error.is_a?(BusinessError) ? business_error(job, error) : failure(job, error))
    rescue StandardError => e
      untold(job, "#{error.class} (which cannot be told as it is: #{cut(e.message, 1000)})")
    end

    def business_error(job, error)
      { **job.named, outcome: "error", errorCode: error.code, message: cut(error.message, 10_000),
        variables: error.variables }
    end

    def failure(job, error)
      own = error if error.is_a?(Fail)
      text = own ? error.message : "#{error.class}: #{error.message}"
      said = { **job.named, outcome: "fail", message: cut(text, 10_000),
               details: cut(error.full_message(highlight: false, order: :top), 50_000) }
      said[:retryAfter] = NewJob.duration(own.retry_after) if own&.retry_after
      said[:retries] = own.retries if own&.retries
      said
    end

    def untold(job, message)
      JSON.generate({ **job.named, outcome: "fail", message: cut(message, 10_000) })
    end

    def cut(text, most)
      # Ruby calls the full message of an error binary, whatever its texts are in.
      text = text.dup.force_encoding(Encoding::UTF_8) if text.encoding == Encoding::BINARY
      text.encode("UTF-8", invalid: :replace, undef: :replace).scrub.byteslice(0, most).scrub("")
    end

    def tell_all
      while (told = next_results)
        counting = told.reject { |job, _| job.cancelled == :lost }
        finish(counting).each { |job, why| log_untold(job, why) }
        forget(told.map(&:first))
      end
    end

    def next_results
      first = @results.pop or return
      told = [first]
      size = first[1].bytesize
      until @results.empty? || told.size == PER_REQUEST || size > MOST_BYTES
        told << @results.pop
        size += told.last[1].bytesize
      end
      told
    end

    def forget(jobs)
      @mutex.synchronize do
        jobs.each { |job| @held.delete(job.id) if @held[job.id].equal?(job) }
      end
    end

    # Tells results; what the service does not take is told as a failure of that job alone. Returns
    # those that cannot be told even so, with the reason.
    def finish(told)
      unsayable(unsayable(told).map do |job, why|
        [job, untold(job, "the service refuses its result: #{why}")]
      end)
    end

    def unsayable(told)
      return [] if told.empty?

      refused = answers_to(told).select { |one| one["answer"] == "refused" }
      jobs = told.to_h { |job, _| [job.id, job] }
      refused.map { |one| [jobs[one["id"]], one["why"]] }
    rescue Invalid => e
      return [[told[0][0], e.message]] if told.size == 1

      told.each_slice((told.size + 1) / 2).flat_map { |part| unsayable(part) }
    end

    # Asks until the service has an answer, for as long as the jobs are locked.
    def answers_to(told)
      body = %({"worker":#{JSON.generate(@name)},"results":[#{told.map(&:last).join(",")}]})
      failures = 0
      give_up = now + @lock
      begin
        @client.call("POST", "#{PATH}finish", body)["refused"]
      rescue Invalid
        raise
      rescue Unreachable, Refused => e
        if now > give_up || !Client.worth_waiting?(e)
          told.each { |job, _| log_untold(job, e.message) }
          return []
        end
        failing(:tell, e)
        sleep Client.pause(failures += 1, e)
        retry
      end
    ensure
      recovered(:tell)
    end

    def log_untold(job, why)
      @logger.error("what became of job #{job.id} cannot be told; it runs again: #{why}")
    end

    # Prolongs locks each third of their time, and asks in between whether jobs were cancelled.
    def keep_locks
      prolonged = now
      until closed_after([LOOK, @lock / 3.0].min)
        is_due = now - prolonged >= @lock / 3.0 - LOOK / 2
        prolonged = now if is_due
        look(is_due ? "extend" : "held")
      end
    end

    def closed_after(seconds)
      give_up = now + seconds
      @mutex.synchronize do
        @changed.wait(@mutex, give_up - now) while !@closed && now < give_up
        @closed
      end
    end

    def look(what)
      jobs = @mutex.synchronize { @held.values }
      jobs.each_slice(PER_REQUEST) do |part|
        order = { worker: @name, jobs: part.map(&:named) }
        order[:lockDuration] = NewJob.duration(@lock) if what == "extend"
        lose(@client.call("POST", PATH + what, order)["refused"].map { |one| one["id"] })
      end
      recovered(:keep)
    rescue Unreachable, Refused => e
      failing(:keep, e)
    end

    # Whose handler has ended already is left out: the service may know of its result.
    def lose(ids)
      lost = @mutex.synchronize { ids.filter_map { |id| @held[id] } }
      lost.each do |job|
        job.cancel(:lost)
        @logger.warn("the lock of job #{job.id} is lost")
      end
    end

    def drain
      return if ended_within?(@grace)

      @mutex.synchronize { @held.each_value { |job| job.cancel(:stopped) } }
      return if ended_within?(1)

      @logger.warn("handlers do not end; their jobs run again when their locks are over")
    end

    def ended_within?(seconds)
      give_up = now + seconds
      @mutex.synchronize do
        @changed.wait(@mutex, give_up - now) while @busy.positive? && now < give_up
        @busy.zero?
      end
    end

    # Says that jobs will not be run here; no attempt is used.
    def give_back(jobs)
      forget(jobs)
      @client.call("POST", "#{PATH}release", { worker: @name, jobs: jobs.map(&:named) })
    rescue Unreachable, Refused => e
      @logger.warn("cannot give jobs back; they are free when their locks end: #{e.message}")
    end

    # Frees what the service may have given in answer to the request that the stop has cut off.
    def give_unknown_back
      return if @busy.positive?

      @client.call("POST", "/external-job-api/unacquire/jobs", { workerId: @name })
    rescue Unreachable, Refused => e
      @logger.warn("cannot ask for jobs that were on their way; " \
                   "they are free when their locks end: #{e.message}")
    end

    # One line when the service goes away and one when it is back, however much is tried meanwhile.
    def failing(what, error)
      @mutex.synchronize do
        @logger.warn("#{error.message}; trying again until the service answers") if @failing.empty?
        @failing[what] = true
      end
    end

    def recovered(what)
      @mutex.synchronize do
        was_failing = @failing.delete(what)
        @logger.warn("the service answers again") if was_failing && @failing.empty?
      end
    end

    def now
      Process.clock_gettime(Process::CLOCK_MONOTONIC)
    end
  end
end
