# frozen_string_literal: true

require "active_job"
require "jobstrand"

module Jobstrand
  # Returns a worker that runs the jobs of Active Job in these queues. The options are those of
  # Worker. What retry_on and discard_on do not deal with fails the attempt.
  def self.active_job_worker(client, queues, **options)
    queues.each_with_object(Worker.new(client, **options)) do |queue, worker|
      worker.handle(queue) do |job|
        ::ActiveJob::Base.execute({ **job.payload, "provider_job_id" => job.id })
      end
    end
  end
end
