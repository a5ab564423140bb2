# frozen_string_literal: true

module Jobstrand
  # Lets an app name the adapter as :jobstrand, and gives it `rake jobstrand:work`.
  class Railtie < Rails::Railtie
    ::ActiveJob::QueueAdapters.autoload(:JobstrandAdapter,
                                        "active_job/queue_adapters/jobstrand_adapter")

    rake_tasks do
      namespace :jobstrand do
        desc "Run the jobs of Active Job until SIGTERM (QUEUES=default,mailers THREADS=5)"
        task work: :environment do
          require "jobstrand/active_job_worker"
          queues = ENV.fetch("QUEUES", ::ActiveJob::Base.queue_name_from_part(nil)).split(",")
          # Each thread wants a connection of Active Record, of which there are as many.
          threads = ENV.fetch("THREADS") { ENV.fetch("RAILS_MAX_THREADS", 5) }
          Jobstrand.active_job_worker(Client.from_environment, queues, threads: Integer(threads),
                                                                       logger: Rails.logger).run
        end
      end
    end
  end
end
