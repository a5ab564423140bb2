# frozen_string_literal: true

require "digest"
require_relative "jobstrand/errors"
require_relative "jobstrand/new_job"
require_relative "jobstrand/insertion"
require_relative "jobstrand/client"
require_relative "jobstrand/worker"

# Enqueues background jobs in Jobstrand, in the transaction of the app or over HTTP, and works on
# them. What holds when something fails is told in docs/clients.md of Jobstrand.
module Jobstrand
  # Adds a job in the transaction of +connection+, which is the app's: it is there exactly if the
  # app commits. Returns its id; that of the job which has the unique key already, if that is kept.
  #
  #   Jobstrand.enqueue(connection, "mail", { order: 17 }, external: true, delay: 3600)
  #
  # +connection+: of pg, mysql2 or sqlite3, or ActiveRecord::Base.connection on one of them. The
  # options are those of NewJob. What the driver raises comes as it is: above all that the id or the
  # unique key is taken. KeyHeld says that a job which is to be replaced runs already.
  def self.enqueue(connection, handler_type, payload = nil, **options)
    enqueue_all(connection, [NewJob.new(handler_type, payload, **options)])[0]
  end

  # The same for many of NewJob, with few statements. Returns their ids, in the order of the jobs.
  def self.enqueue_all(connection, jobs)
    Insertion.run(connection, jobs)
  end

  # The engine of a job among the names of several whose databases are as one (spreadOver); nil among none. +key+: its process
  # instance id, else its unique key, else the key of its series, else its id.
  def self.engine_of(key, names)
    names.max_by { |name| Digest::SHA256.hexdigest("#{name}\n#{key}") }
  end
end

require_relative "jobstrand/railtie" if defined?(Rails::Railtie) && defined?(ActiveJob)
