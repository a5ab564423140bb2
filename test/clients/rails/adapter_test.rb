# frozen_string_literal: true

# What the adapter for Active Job claims, on services with SQLite, and on the servers that POSTGRESQL_URL and MARIADB_URL name.
require "active_record"
require "active_job"
require "stringio"
require_relative "../ruby/service"
require "active_job/queue_adapters/jobstrand_adapter"
require "jobstrand/active_job_worker"

ActiveJob::Base.logger = nil

# One class with a connection for each database.
class Sqlite < ActiveRecord::Base
  self.abstract_class = true
end

class Postgresql < ActiveRecord::Base
  self.abstract_class = true
end

class Mysql < ActiveRecord::Base
  self.abstract_class = true
end

RUNS = Queue.new

class MailJob < ActiveJob::Base
  queue_as :mail

  def perform(order)
    RUNS << [order, provider_job_id]
  end
end

class FailingJob < ActiveJob::Base
  class Busy < StandardError; end
  class Gone < StandardError; end
  retry_on Busy, attempts: 3, wait: 0
  discard_on Gone

  def perform(error)
    RUNS << executions
    raise error.constantize, "no printer"
  end
end

class RemindJob < ActiveJob::Base
  def jobstrand_options
    { unique_key: "remind-#{arguments[0]}", on_duplicate: :keep }
  end

  def perform(order) end
end

class OnlyOneJob < RemindJob
  def jobstrand_options
    super.merge(on_duplicate: :reject)
  end
end

class AdapterTest < WithService
  Adapter = ActiveJob::QueueAdapters::JobstrandAdapter

  def setup
    super
    @service.run("schema", "create", "--db", "sqlite:app.db") # No node works on it.
    Sqlite.establish_connection(adapter: "sqlite3", database: "#{@folder}/app.db", timeout: PATIENCE_S * 1000)
    Postgresql.establish_connection(ENV.fetch("POSTGRESQL_URL"))
    Mysql.establish_connection(ENV.fetch("MARIADB_URL").sub("mariadb:", "mysql2:"))
  end

  def teardown
    [Sqlite, Postgresql, Mysql].each { |record| record.connection_pool.disconnect! }
    super
  end

  def each_app
    [Sqlite, Postgresql, Mysql].each do |record|
      %w[ACT_RU_TIMER_JOB ACT_RU_EXTERNAL_JOB ACT_GE_BYTEARRAY JS_UNIQUE].each { |table| record.connection.execute("DELETE FROM #{table}") }
      ActiveJob::Base.queue_adapter = Adapter.new(record: record)
      yield record
    end
  end

  def count(record, table = "ACT_RU_EXTERNAL_JOB")
    record.connection.select_value("SELECT COUNT(*) FROM #{table}").to_i
  end

  def test_a_job_is_there_exactly_if_the_transaction_of_the_app_commits
    each_app do |record|
      record.transaction do
        MailJob.perform_later(1)
        raise ActiveRecord::Rollback
      end
      assert_equal(0, count(record))
      record.transaction do
        MailJob.perform_later(1)
        record.transaction(requires_new: true) do
          MailJob.perform_later(2)
          raise ActiveRecord::Rollback
        end
      end
      assert_equal(1, count(record))
      MailJob.perform_later(3)
      assert_equal(2, count(record))
      refute_predicate(MailJob.queue_adapter, :enqueue_after_transaction_commit?)
    end
  end

  def test_queue_time_priority_and_ids_are_where_jobstrand_has_them
    each_app do |record|
      now = MailJob.set(priority: 10, queue: "low").perform_later(1)
      later = MailJob.set(wait_until: Time.utc(2037, 1, 1, 12)).perform_later("ä" * 5000)
      row = "SELECT HANDLER_TYPE_, PRIORITY_, RETRIES_, TYPE_ FROM ACT_RU_EXTERNAL_JOB WHERE ID_ = '#{now.provider_job_id}' AND CORRELATION_ID_ = '#{now.job_id}'"
      assert_equal([["low", -10, 1, "externalWorker"]], record.connection.select_rows(row))
      row = "SELECT HANDLER_TYPE_, TYPE_ FROM ACT_RU_TIMER_JOB WHERE ID_ = '#{later.provider_job_id}' AND CUSTOM_VALUES_ID_ IS NOT NULL " \
            "AND DUEDATE_ > '2036-12-30' AND DUEDATE_ < '2037-01-03'"
      assert_equal([%w[mail externalWorker]], record.connection.select_rows(row))
    end
  end

  def test_many_jobs_are_added_by_few_statements_or_none_is
    each_app do |record|
      jobs = Array.new(700) { |number| MailJob.new(number) } + [MailJob.new(7).tap { |job| job.scheduled_at = Time.now + 60 }]
      assert_equal(701, MailJob.queue_adapter.enqueue_all(jobs))
      assert_equal([700, 1], [count(record), count(record, "ACT_RU_TIMER_JOB")])
      assert_equal(701, jobs.map(&:provider_job_id).uniq.size)
      assert_raises(StandardError) { MailJob.queue_adapter.enqueue_all([MailJob.new(1), OnlyOneJob.new(1), OnlyOneJob.new(1)]) }
      assert_equal([700, 0], [count(record), count(record, "JS_UNIQUE")])
    end
  end

  # Rails before 7.1 does not have it.
  if ActiveJob.respond_to?(:perform_all_later)
    def test_rails_adds_many_jobs_at_once
      each_app do |record|
        jobs = Array.new(10) { |number| MailJob.new(number) }
        ActiveJob.perform_all_later(jobs)
        assert_equal([10, true], [count(record), jobs.all?(&:successfully_enqueued?)])
      end
    end
  end

  def test_a_job_may_say_its_unique_key
    each_app do |record|
      first = RemindJob.perform_later(1)
      assert_equal(first.provider_job_id, RemindJob.perform_later(1).provider_job_id)
      refute_equal(first.provider_job_id, RemindJob.perform_later(2).provider_job_id)
      assert_equal(2, count(record))
    end
  end

  def test_the_symbol_is_the_connection_of_active_record
    ActiveJob::Base.queue_adapter = :jobstrand
    ActiveRecord::Base.establish_connection(adapter: "sqlite3", database: "#{@folder}/app.db")
    job = MailJob.perform_later(1)
    assert_equal([[job.provider_job_id]], ActiveRecord::Base.connection.select_rows("SELECT ID_ FROM ACT_RU_EXTERNAL_JOB"))
  ensure
    ActiveRecord::Base.remove_connection
  end

  def test_without_the_tables_jobs_go_over_http
    ActiveJob::Base.queue_adapter = Adapter.new(client: @service.client)
    assert_predicate(MailJob.queue_adapter, :enqueue_after_transaction_commit?)
    assert_equal("external", @service.job(MailJob.perform_later(1).provider_job_id)["place"])
    assert_equal("timer", @service.job(MailJob.set(wait: 60).perform_later(2).provider_job_id)["place"])
    jobs = Array.new(3) { |number| MailJob.new(number) }
    assert_equal(3, MailJob.queue_adapter.enqueue_all(jobs))
    assert_equal(4, @service.place("external"))
  end
end

class WorkerTest < WithService
  def setup
    super
    RUNS.clear
    Sqlite.establish_connection(adapter: "sqlite3", database: @service.file, timeout: PATIENCE_S * 1000)
    ActiveJob::Base.queue_adapter = ActiveJob::QueueAdapters::JobstrandAdapter.new(record: Sqlite)
  end

  def teardown
    Sqlite.connection_pool.disconnect!
    super
  end

  # Works until no job is left to run.
  def work_off
    worker = Jobstrand.active_job_worker(@service.client, %w[default mail], threads: 2, wait: 1, logger: Logger.new(StringIO.new))
    running = Thread.new { worker.run(signals: false) }
    eventually("all have ended") { %w[external timer].sum { |place| @service.place(place) }.zero? }
  ensure
    worker.stop
    running.join
  end

  def runs
    Array.new(RUNS.size) { RUNS.pop }
  end

  def test_a_job_runs_with_its_arguments_and_knows_its_id
    job = MailJob.perform_later({ "order" => 17, at: Time.utc(2030) })
    later = MailJob.set(wait: 0.01).perform_later("later")
    work_off
    wanted = [[{ "order" => 17, at: Time.utc(2030) }, job.provider_job_id], ["later", later.provider_job_id]]
    assert_equal(wanted, runs.sort_by { |_, id| id })
  end

  def test_retry_on_says_alone_how_often_a_job_runs_and_what_it_gives_up_is_a_dead_letter
    FailingJob.perform_later("FailingJob::Busy")
    work_off
    assert_equal([1, 2, 3], runs)
    dead, = @service.client.get("/api/v1/jobs?place=dead")["items"]
    assert_equal(["FailingJob::Busy: no printer", "default"], dead.values_at("exceptionMessage", "handlerType"))
  end

  def test_discard_on_ends_a_job
    FailingJob.perform_later("FailingJob::Gone")
    work_off
    assert_equal([[1], 0], [runs, @service.place("dead")])
  end

  def test_an_exception_that_no_rule_names_is_a_dead_letter_that_can_be_requeued
    job = FailingJob.perform_later("ArgumentError")
    work_off
    assert_equal("ArgumentError: no printer", @service.job(job.provider_job_id)["exceptionMessage"])
    @service.client.call("POST", "/api/v1/dead/requeue", { ids: [job.provider_job_id], retries: 1 })
    work_off
    assert_equal([[1, 1], 1], [runs, @service.place("dead")])
  end

  def test_a_job_whose_class_is_gone_is_a_dead_letter
    passing = Class.new(ActiveJob::Base) { def perform; end }
    Object.const_set(:PassingJob, passing)
    job = PassingJob.perform_later
    Object.send(:remove_const, :PassingJob)
    work_off
    assert_includes(@service.job(job.provider_job_id)["exceptionMessage"], "NameError")
  end
end
