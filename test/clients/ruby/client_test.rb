# frozen_string_literal: true

# What the package for Ruby claims, on services with SQLite, and on the servers that POSTGRESQL_URL and MARIADB_URL name.
require "mysql2"
require "pg"
require "socket"
require "sqlite3"
require "stringio"
require_relative "service"

FULL = { id: "full-1", delay: 3600, retries: 4, retry_cycle: "R5/PT1M", priority: 7, external: true, exclusive: false,
         process_instance_id: "order-1", process_definition_id: "orders:1", category: "shop", tenant_id: "acme",
         correlation_id: "c-1", traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
         unique_key: "mail-1", unique_for: 7200, on_duplicate: :keep }.freeze

class EngineOfTest < Minitest::Test
  def test_it_is_the_one_that_all_clients_name
    JSON.parse(File.read("#{__dir__}/../engine_of.json")).each do |one|
      assert_equal one["engine"], Jobstrand.engine_of(one["key"], one["names"]), one["key"]
    end
    assert_nil Jobstrand.engine_of("key", [])
  end
end

class EnqueueTest < WithService
  # Each driver: how it runs a statement, and its connection.
  def apps
    # One that no node works on, so that jobs stay where they were put.
    @service.run("schema", "create", "--db", "sqlite:app.db")
    sqlite = SQLite3::Database.new("#{@folder}/app.db")
    sqlite.results_as_hash = true
    yield sqlite, ->(sql) { sqlite.execute(sql).map { |row| row.values.first } }
    pg = PG.connect(ENV.fetch("POSTGRESQL_URL"))
    yield pg, ->(sql) { pg.exec(sql).values.map(&:first) }
    url = URI(ENV.fetch("MARIADB_URL"))
    mysql = Mysql2::Client.new(host: url.host, port: url.port, username: url.user, password: url.password, database: "jobs")
    yield mysql, ->(sql) { mysql.query(sql, as: :array).to_a.map(&:first) }
  end

  def each_app
    apps do |connection, run|
      run.call("BEGIN")
      %w[ACT_RU_JOB ACT_RU_TIMER_JOB ACT_RU_EXTERNAL_JOB ACT_GE_BYTEARRAY JS_UNIQUE].each { |table| run.call("DELETE FROM #{table}") }
      run.call("COMMIT")
      yield connection, run
      connection.close
    end
  end

  def enqueue(connection, run, ...)
    run.call("BEGIN")
    id = Jobstrand.enqueue(connection, ...)
    run.call("COMMIT")
    id
  rescue StandardError
    run.call("ROLLBACK")
    raise
  end

  def test_a_job_is_there_exactly_if_the_app_commits
    each_app do |connection, run|
      { "ROLLBACK" => [], "COMMIT" => ['{"order":17}'] }.each do |ending, wanted|
        run.call("BEGIN")
        id = Jobstrand.enqueue(connection, "log", { order: 17 })
        run.call(ending)
        assert_match(/\A\h{8}-\h{4}-7\h{3}-[89ab]\h{3}-\h{12}\z/, id)
        assert_equal(wanted, run.call("SELECT HANDLER_CFG_ FROM ACT_RU_JOB WHERE ID_ = '#{id}'"))
      end
    end
  end

  def test_all_kinds_of_jobs_go_in_the_transaction
    each_app do |connection, run|
      enqueue(connection, run, "mail", { to: "<a@b>" }, **FULL)
      enqueue(connection, run, "mail", id: "external", external: true)
      enqueue(connection, run, "log", id: "hourly", due: Time.utc(2037, 1, 1, 12, 0, 0.125r), repeat: "R/PT1H")
      enqueue(connection, run, "log", "ä" * 4000, id: "long")
      enqueue(connection, run, "log", "ä" * 3998, id: "short")
      {
        "SELECT TYPE_ FROM ACT_RU_EXTERNAL_JOB WHERE ID_ = 'external'" => "externalWorker",
        "SELECT TYPE_ FROM ACT_RU_TIMER_JOB WHERE ID_ = 'full-1' AND PRIORITY_ = 7" => "externalWorker",
        "SELECT REPEAT_ FROM ACT_RU_TIMER_JOB WHERE ID_ = 'hourly' AND TYPE_ = 'timer'" => "R/PT1H",
        "SELECT b.NAME_ FROM ACT_RU_JOB j JOIN ACT_GE_BYTEARRAY b ON b.ID_ = j.CUSTOM_VALUES_ID_ WHERE j.ID_ = 'long'" => "payload",
        "SELECT HANDLER_TYPE_ FROM ACT_RU_JOB WHERE ID_ = 'short' AND CUSTOM_VALUES_ID_ IS NULL" => "log",
        "SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = 'mail-1' AND UNTIL_ IS NOT NULL" => "full-1"
      }.each { |query, wanted| assert_equal([wanted], run.call(query), query) }
      next if connection.is_a?(Mysql2::Client)

      assert_equal(["2037-01-01 12:00:00.125"], run.call("SELECT CAST(DUEDATE_ AS CHAR(23)) FROM ACT_RU_TIMER_JOB WHERE ID_ = 'hourly'"))
    end
  end

  def test_many_jobs_are_there_exactly_if_the_app_commits
    each_app do |connection, run|
      jobs = [Jobstrand::NewJob.new("log", 0, **FULL), Jobstrand::NewJob.new("log", "ä" * 5000), *Array.new(1200) { |n| Jobstrand::NewJob.new("log", n, external: true) },
              Jobstrand::NewJob.new("log", 0, **FULL, id: "kept")]
      { "ROLLBACK" => [0, 0, 0], "COMMIT" => [1, 1, 1200] }.each do |ending, wanted|
        run.call("BEGIN")
        ids = Jobstrand.enqueue_all(connection, jobs)
        run.call(ending)
        assert_equal(["full-1", 1202, "full-1"], [ids[0], ids.uniq.size, ids[-1]])
        assert_equal(wanted, %w[TIMER_JOB JOB EXTERNAL_JOB].map { |table| run.call("SELECT COUNT(*) FROM ACT_RU_#{table}")[0].to_i })
        assert_equal([ids[1202 - 1]], run.call("SELECT ID_ FROM ACT_RU_EXTERNAL_JOB WHERE HANDLER_CFG_ = '1199'")) if ending == "COMMIT"
      end
      assert_equal([1], run.call("SELECT COUNT(*) FROM ACT_GE_BYTEARRAY").map(&:to_i))
      run.call("BEGIN")
      assert_equal([], Jobstrand.enqueue_all(connection, []))
      run.call("COMMIT")
    end
  end

  def test_times_are_in_utc_and_the_session_of_mysql_is_left_as_it_was
    each_app do |connection, run|
      next unless connection.is_a?(Mysql2::Client)

      run.call("SET time_zone = '+05:00'")
      enqueue(connection, run, "log", due: Time.utc(2037, 1, 1, 12))
      assert_equal([2_114_424_000], run.call("SELECT UNIX_TIMESTAMP(DUEDATE_) FROM ACT_RU_TIMER_JOB").map(&:to_i))
      assert_equal(["+05:00"], run.call("SELECT @@session.time_zone"))
    end
  end

  def test_the_service_reads_what_was_enqueued_by_its_tables
    connection = SQLite3::Database.new(@service.file)
    wrapped = Struct.new(:raw_connection).new(connection)
    connection.transaction { Jobstrand.enqueue(wrapped, "mail", { to: "<a@b>" }, **FULL) }
    job = @service.job("full-1")
    assert_equal([{ "to" => "<a@b>" }, "timer", 4, 7, false, "acme"], job.values_at("payload", "place", "retries", "priority", "exclusive", "tenantId"))
    assert_in_delta(3600, Time.iso8601(job["dueDate"]) - Time.now, 600)
    over_http = @service.client.enqueue("mail", { to: "<a@b>" }, **FULL, id: "full-2", on_duplicate: :replace)
    theirs = @service.job(over_http)
    %w[payload place retries retryCycle priority exclusive processInstanceId processDefinitionId category tenantId correlationId traceparent uniqueKey].each do |name|
      assert_equal(job[name], theirs[name], name)
    end
  end

  def test_unique_keys_are_refused_kept_and_replaced
    each_app do |connection, run|
      remind = { external: true, unique_key: "remind" }
      enqueue(connection, run, "log", "x" * 5000, **remind, id: "first")
      taken = assert_raises(PG::UniqueViolation, Mysql2::Error, SQLite3::ConstraintException) { enqueue(connection, run, "log", **remind) }
      assert_kind_of(StandardError, taken)
      assert_equal("first", enqueue(connection, run, "log", **remind, on_duplicate: :keep))
      replacing = { **remind, on_duplicate: "replace", unique_for: 3600 }
      assert_equal("second", enqueue(connection, run, "log", "x" * 5000, **replacing, id: "second"))
      assert_equal(["second"], run.call("SELECT ID_ FROM ACT_RU_EXTERNAL_JOB"))
      assert_equal(["second"], run.call("SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = 'remind' AND UNTIL_ IS NOT NULL"))
      assert_equal([1], run.call("SELECT COUNT(*) FROM ACT_GE_BYTEARRAY").map(&:to_i))
      run.call("DELETE FROM ACT_RU_EXTERNAL_JOB")
      assert_raises(Jobstrand::KeyHeld) { enqueue(connection, run, "log", **replacing, id: "third") }
    end
  end

  def test_what_cannot_be_meant_so_is_refused
    connection = SQLite3::Database.new(@service.file)
    assert_match("in no transaction", assert_raises(ArgumentError) { Jobstrand.enqueue(connection, "x") }.message)
    connection.transaction do
      [{ due: "tomorrow 09:00" }, { repeat: "R/PT1H" }, { delay: 1, repeat: "R/PT1H", unique_key: "k" }, { on_duplicate: :keep },
       { unique_key: "k", on_duplicate: :kepe }, { delay: -1 }, { delay: 1, due: Time.now }].each do |wrong|
        assert_raises(ArgumentError, wrong.to_s) { Jobstrand.enqueue(connection, "x", **wrong) }
      end
      misspelt = assert_raises(ArgumentError) { Jobstrand.enqueue(connection, "x", retrys: 3) }
      assert_equal("a job has no 'retrys'; did you mean 'retries'?", misspelt.message)
      assert_raises(ArgumentError) { Jobstrand.enqueue(connection, "") }
    end
    assert_raises(ArgumentError) { Jobstrand.enqueue(Object.new, "x") }
  end
end

class ClientTest < WithService
  def test_many_jobs_are_added_or_none
    ids = @service.client.enqueue_all([Jobstrand::NewJob.new("mail", 1, external: true), Jobstrand::NewJob.new("mail", 2, external: true, delay: 60)])
    assert_equal([[1, "external"], [2, "timer"]], ids.map { |id| @service.job(id).values_at("payload", "place") })
    assert_raises(Jobstrand::Invalid) { @service.client.enqueue_all([Jobstrand::NewJob.new("mail"), Jobstrand::NewJob.new("mail", retries: -1)]) }
    assert_equal(0, @service.place("executable"))
  end

  def test_the_environment_names_the_service_and_the_file_of_its_token
    file = "#{@folder}/token"
    File.write(file, "secret\nand notes\n")
    client = Jobstrand::Client.from_environment({ "JOBSTRAND_URL" => "#{@service.address}/", "JOBSTRAND_TOKEN_FILE" => file })
    assert_equal([@service.address, "secret"], [client.address, client.instance_variable_get(:@token)])
    assert_equal("http://127.0.0.1:8080", Jobstrand::Client.from_environment({}).address)
  end

  def test_errors_are_of_kinds
    client = @service.client
    client.enqueue("mail", external: true, id: "mail-1")
    assert_raises(Jobstrand::Conflict) { client.enqueue("mail", id: "mail-1") }
    invalid = assert_raises(Jobstrand::Invalid) { client.enqueue("mail", retry_cycle: "nonsense") }
    assert_equal([400, 1], [invalid.status, invalid.errors.size])
    assert_raises(Jobstrand::NotFound) { client.get("/api/v1/jobs/none") }
    assert_raises(ArgumentError) { Jobstrand::Client.new("ftp://host") }
    assert_raises(Jobstrand::Unreachable) { Jobstrand::Client.new("http://127.0.0.1:1", retries: 0).get("/api/v1/stats") }
  end

  def test_enqueueing_asks_again_with_the_same_key
    listener = TCPServer.new("127.0.0.1", 0)
    keys = []
    server = Thread.new do
      2.times do |number|
        socket = listener.accept
        head = socket.readline("\r\n\r\n")
        keys << head[/^idempotency-key: (\S+)/i, 1]
        socket.read(head[/^content-length: (\d+)/i, 1].to_i)
        socket.write("HTTP/1.1 201 Created\r\nContent-Length: 10\r\n\r\n{\"id\":\"a\"}") if number == 1 # The first answer is lost.
        socket.close
      end
    end
    assert_equal("a", Jobstrand::Client.new("http://127.0.0.1:#{listener.addr[1]}").enqueue("mail"))
    server.join
    refute_nil(keys[0])
    assert_equal(keys[0], keys[1])
  end
end

class WorkerTest < WithService
  # Runs a worker while the block does.
  def working(handler, **options)
    @log = StringIO.new
    worker = Jobstrand::Worker.new(@service.client, wait: 1, logger: Logger.new(@log), **options)
    worker.handle("mail", &handler)
    thread = Thread.new { worker.run(signals: false) }
    yield worker
  ensure
    worker&.stop
    thread&.join(PATIENCE_S) or raise "the worker does not end"
  end

  def until_done
    eventually("all jobs are done") { @service.place("external").zero? }
  end

  def test_a_handler_that_returns_has_done_its_job
    @service.enqueue(10)
    sum = 0
    lock = Mutex.new
    working(->(job) { lock.synchronize { sum += job.payload } }, name: "worker-7") { until_done }
    assert_equal([45, 0, 0], [sum, @service.place("dead"), @service.place("timer")])
    assert_includes(@log.string, "worker worker-7 starts: serves mail at 8 places")
  end

  def test_a_failure_has_its_class_its_message_and_its_backtrace
    ids = @service.enqueue(3, retries: 1)
    handler = lambda do |job|
      case job.payload
      when 0
        begin
          raise KeyError, "letter 7"
        rescue KeyError
          raise IOError, "no such address"
        end
      when 1 then exit(3)
      else raise Jobstrand::Fail.new("later", retry_after: 3600, retries: 7)
      end
    end
    working(handler) { eventually("all have failed") { @service.place("dead") == 2 && @service.place("timer") == 1 } }
    assert_equal(["IOError: no such address", "SystemExit: exit", "later"], ids.map { |id| @service.job(id)["exceptionMessage"] })
    assert_equal(7, @service.job(ids[2])["retries"])
    query = "SELECT b.BYTES_ FROM ACT_GE_BYTEARRAY b JOIN ACT_RU_DEADLETTER_JOB j ON b.ID_ = j.EXCEPTION_STACK_ID_ WHERE j.ID_ = ?"
    details = SQLite3::Database.new(@service.file).get_first_value(query, [ids[0]])
    assert_includes(details, "client_test.rb")
    assert_includes(details, "letter 7")
  end

  def test_a_handler_hears_that_its_job_was_cancelled
    id, = @service.enqueue(1)
    begun = Queue.new
    heard = Queue.new
    handler = lambda do |job|
      begun << true
      eventually("it hears of it") { job.cancelled? }
      heard << job.cancelled
    end
    working(handler) do
      begun.pop
      @service.run("job", "cancel", id, "--reason", "the wrong file")
      assert_equal(:lost, heard.pop)
    end
    assert_includes(@log.string, "the lock of job #{id} is lost")
  end

  def test_one_odd_result_in_a_hundred_touches_no_other
    ids = @service.enqueue(500, retries: 1)
    ring = {}
    ring[:ring] = ring
    handler = lambda do |job|
      case job.payload
      when 0 then job.hand_on(number: Float::NAN)
      when 100 then job.hand_on(ring)
      when 200 then job.hand_on(text: "x" * (9 << 20))
      when 300 then raise "half a letter \xC3, and a \0"
      when 400 then raise Jobstrand::Fail.new("later", retry_after: 10**12) # Which the service refuses.
      end
    end
    working(handler) { eventually("all have ended") { @service.place("external").zero? && @service.place("dead") == 5 } }
    assert_includes(@service.job(ids[400])["exceptionMessage"], "the service refuses its result: ")
    assert_includes(@service.job(ids[200])["exceptionMessage"], "too long")
  end

  def test_a_service_that_is_killed_loses_nothing
    count = 500
    @service.enqueue(count)
    runs = Queue.new
    killed = Queue.new
    handler = lambda do |job|
      runs << job.id
      killed.pop if runs.size >= count / 10 # Which is closed then.
    end
    working(handler, threads: 4) do
      eventually("some are done") { runs.size >= (count / 10) + 3 }
      @service.end_by("KILL")
      killed.close
      eventually("the worker has seen it") { @log.string.include?("trying again until the service answers") }
      @service.again
      eventually("the worker has said so") { @log.string.include?("the service answers again") }
      eventually("nothing more is free") { @service.place("external") == @service.locked }
    end
    working(->(job) { runs << job.id }) { until_done }
    all = Array.new(runs.size) { runs.pop }
    assert_equal([count, count], [all.size, all.uniq.size])
  end

  def test_a_stop_lets_handlers_end_and_gives_the_others_back
    @service.enqueue(3)
    begun = Queue.new
    ends = Queue.new
    handler = lambda do |_job|
      begun << true
      ends.pop
    end
    working(handler, threads: 1) do |worker|
      begun.pop
      worker.stop
      ends.close
    end
    eventually("the others are free") { @service.place("external") == 2 && @service.locked.zero? }
  end

  def test_a_handler_that_ends_after_the_grace_gives_its_job_back
    id, = @service.enqueue(1)
    begun = Queue.new
    handler = lambda do |job|
      begun << true
      eventually("it hears of it") { job.cancelled? }
      raise "not done"
    end
    working(handler, grace: 0.01) { begun.pop }
    eventually("it is free") { @service.job(id).values_at("place", "lockOwner", "attempts") == ["external", nil, 0] }
  end

  def test_a_worker_that_may_not_ends_with_an_error
    worker = Jobstrand::Worker.new(@service.client, name: "x" * 300, logger: Logger.new(StringIO.new))
    worker.handle("mail") { nil }
    assert_raises(Jobstrand::Invalid) { worker.run }
  end
end
