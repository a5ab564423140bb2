# frozen_string_literal: true

require "active_job"
require "jobstrand"

module ActiveJob
  module QueueAdapters
    # Puts jobs into Jobstrand, where `rake jobstrand:work` takes them.
    #
    #   config.active_job.queue_adapter = :jobstrand
    #
    # A job goes into the transaction that the app is in, so that it is there exactly if the app
    # commits. That needs Jobstrand's tables in the app's database; other apps tell the service:
    #
    #   config.active_job.queue_adapter =
    #     ActiveJob::QueueAdapters::JobstrandAdapter.new(client: Jobstrand::Client.from_environment)
    #
    # The name of the queue is the handler type, which workers call a topic. A priority is the more
    # urgent the smaller it is, as elsewhere in Rails; in Jobstrand it is the other way round, so its
    # sign changes. What a job says by `jobstrand_options`, such as a unique key, goes to NewJob.
    class JobstrandAdapter < (defined?(AbstractAdapter) ? AbstractAdapter : Object)
      # +record+: the class whose connection has the tables; ActiveRecord::Base if none is named.
      # +retries+: attempts of Jobstrand. One, so that retry_on alone says what is tried again; what
      # it gives up is a dead letter.
      def initialize(client: nil, record: nil, retries: 1)
        super()
        @client = client
        @record = record
        @retries = retries
      end

      def enqueue(job)
        enqueue_all([job])
      end

      # The time is the job's own: scheduled_at.
      def enqueue_at(job, _timestamp)
        enqueue_all([job])
      end

      # Adds all of them or none. Returns how many that are.
      def enqueue_all(jobs)
        jobs.zip(store(jobs.map { |job| new_job(job) })) do |job, id|
          job.provider_job_id = id
          # Which perform_all_later asks for; Rails before 7.1 has neither.
          job.successfully_enqueued = true if job.respond_to?(:successfully_enqueued=)
        end
        jobs.size
      end

      # What goes over HTTP must not run before the app commits. Rails 7.2 asks for this; later
      # ones want `self.enqueue_after_transaction_commit = true` in the job.
      def enqueue_after_transaction_commit?
        !@client.nil?
      end

      private

      def store(jobs)
        return @client.enqueue_all(jobs) if @client

        (@record || ActiveRecord::Base).connection_pool.with_connection do |connection|
          connection.transaction { Jobstrand.enqueue_all(connection, jobs) }
        end
      end

      def new_job(job)
        own = job.respond_to?(:jobstrand_options) ? job.jobstrand_options : {}
        Jobstrand::NewJob.new(
          job.queue_name, job.serialize,
          due: job.scheduled_at && Time.at(job.scheduled_at.to_f), external: true,
          retries: @retries, priority: job.priority && -job.priority, correlation_id: job.job_id,
          **own
        )
      end
    end
  end
end
