# frozen_string_literal: true

require "securerandom"

module Jobstrand
  # Adds a job by the statements of docs/sql.md, and leaves the app's session as it was.
  class Insertion
    MOST_IN_ROW = 4000 # Characters of a payload; a longer one has a row of its own.
    TRIES = 3 # For a key that is freed between two statements.
    SUSPENDED = "ACT_RU_SUSPENDED_JOB"
    PLACES = ["ACT_RU_JOB", "ACT_RU_TIMER_JOB", "ACT_RU_EXTERNAL_JOB", SUSPENDED].freeze

    # Who is said to have the lock of a job that nobody runs.
    NOBODY = ["waiting for an exclusive job", "waiting for a limit"].freeze

    # A UUID of version 7 (RFC 9562). Ids that ascend with time are the fastest for the database.
    def self.fresh_id
      hex = format("%012x7%s", (Time.now.to_r * 1000).to_i, SecureRandom.hex(10))
      hex[16] = "89ab"[SecureRandom.random_number(4)]
      [hex[0, 8], hex[8, 4], hex[12, 4], hex[16, 4], hex[20, 12]].join("-")
    end

    # Adds jobs, all that have no unique key with as few statements as their columns allow. Returns
    # their ids, in the order of the jobs.
    def self.run(connection, jobs)
      session = Session.of(connection)
      return [] if jobs.empty?

      all = jobs.map { |job| new(session, job) }
      with_key, others = all.partition(&:key?)
      session.in_utc do
        with_key.each(&:insert)
        others.flat_map(&:rows).group_by { |table, row| [table, row.keys] }
              .each { |(table, _), rows| session.insert_all(table, rows.map(&:last)) }
      end
      session.announce
      all.map(&:id)
    end

    # Of the job that is there in the end: of another, if that has the unique key and is kept.
    attr_reader :id

    def initialize(session, job)
      @session = session
      @job = job
      @id = job[:id] || Insertion.fresh_id
      @now = Time.now
      @on_duplicate = (job[:on_duplicate] || :reject).to_s
      refuse_what_needs_the_service
    end

    def key?
      !@job[:unique_key].nil?
    end

    def insert
      kept = take_key
      return @id = kept if kept

      rows.each { |table, row| @session.insert(table, **row) }
    end

    # Each with its table.
    def rows
      texts, columns = payload
      [*texts, job_row(columns)]
    end

    private

    def refuse_what_needs_the_service
      wrong =
        if @job[:due].is_a?(String) then "a due date in words needs the service: give a Time"
        elsif @job[:repeat] && !due then "a job that repeats needs the due date of its first turn"
        elsif @job[:repeat] && @job[:unique_key] then "a job that repeats has no unique key"
        elsif !@job[:unique_key] && (@job[:unique_for] || @job[:on_duplicate])
          "unique_for and on_duplicate go with unique_key"
        end
      raise ArgumentError, wrong if wrong
    end

    def job_row(columns)
      type = "externalWorker" if @job[:external]
      type ||= "timer" if due
      [table, {
        ID_: @id, HANDLER_TYPE_: @job.handler_type, TYPE_: type, DUEDATE_: due,
        REPEAT_: @job[:repeat], RETRIES_: @job[:retries], RETRY_CYCLE_: @job[:retry_cycle],
        PRIORITY_: @job[:priority], EXCLUSIVE_: @job[:exclusive],
        PROCESS_INSTANCE_ID_: @job[:process_instance_id],
        PROC_DEF_ID_: @job[:process_definition_id], CATEGORY_: @job[:category],
        TENANT_ID_: @job[:tenant_id], CORRELATION_ID_: @job[:correlation_id] || @id,
        TRACE_PARENT_: @job[:traceparent], UNIQUE_KEY_: @job[:unique_key], **columns
      }.compact]
    end

    def table
      return "ACT_RU_TIMER_JOB" if due

      @job[:external] ? "ACT_RU_EXTERNAL_JOB" : "ACT_RU_JOB"
    end

    def due
      @job[:delay] ? @now + @job[:delay] : @job[:due]
    end

    # The row of a long payload, and the columns of the job.
    def payload
      return [[], {}] if @job.payload.nil?

      text = JSON.generate(@job.payload)
      return [[], { HANDLER_CFG_: text }] if text.length <= MOST_IN_ROW

      id = Insertion.fresh_id
      [[["ACT_GE_BYTEARRAY", { ID_: id, NAME_: "payload", BYTES_: @session.bytes(text) }]],
       { CUSTOM_VALUES_ID_: id }]
    end

    # Returns the id of the job that has the key and is kept, or nil.
    def take_key
      key = { KEY_: @job[:unique_key], JOB_ID_: @id, UNTIL_: key_until }
      if @job[:unique_for] || @on_duplicate != "reject"
        @session.run("DELETE FROM JS_UNIQUE WHERE KEY_ = ? AND UNTIL_ <= ?", key[:KEY_], @now)
      end
      if @on_duplicate == "reject"
        @session.insert("JS_UNIQUE", **key)
        return nil
      end
      holder = holder_of(key)
      return nil if holder == @id
      return holder if @on_duplicate == "keep"

      remove(holder)
      move_key
    end

    def key_until
      @job[:unique_for] && (@now + @job[:unique_for])
    end

    # Returns the id of the job that has the key: this one, if it was free.
    def holder_of(key)
      query = "SELECT JOB_ID_ FROM JS_UNIQUE WHERE KEY_ = ?#{@session.locking}"
      TRIES.times do
        @session.insert("JS_UNIQUE", unless_there: true, **key)
        rows = @session.run(query, key[:KEY_])
        return rows[0][0] unless rows.empty?
      end
      raise KeyHeld, "others take and leave the unique key #{key[:KEY_]} again and again"
    end

    # Ends the job that has the key, if it waits. A row that somebody has in hand is not waited for,
    # so that nobody waits for a key and a job in a circle.
    def remove(holder)
      PLACES.each do |table|
        texts = waiting_in(table, holder)
        next unless texts

        @session.run("DELETE FROM #{table} WHERE ID_ = ?", holder)
        texts.compact.each do |text|
          @session.run("DELETE FROM ACT_GE_BYTEARRAY WHERE ID_ = ?", text)
        end
        return
      end
      raise KeyHeld, "job #{holder} has #{@job[:unique_key]}, and is running or has ended"
    end

    def waiting_in(table, holder)
      query = "SELECT CUSTOM_VALUES_ID_, EXCEPTION_STACK_ID_ FROM #{table} " \
              "WHERE ID_ = ? AND REPEAT_ IS NULL AND SERIES_ IS NULL"
      values = [holder]
      unless table == SUSPENDED
        query += " AND (LOCK_EXP_TIME_ IS NULL OR LOCK_OWNER_ IN (?, ?))"
        values += NOBODY
      end
      @session.run(query + @session.locking(" SKIP LOCKED"), *values).first
    end

    def move_key
      change = "REV_ = REV_ + 1 WHERE KEY_ = ?"
      if key_until
        @session.run("UPDATE JS_UNIQUE SET JOB_ID_ = ?, UNTIL_ = ?, #{change}", @id, key_until,
                     @job[:unique_key])
      else
        @session.run("UPDATE JS_UNIQUE SET JOB_ID_ = ?, UNTIL_ = NULL, #{change}", @id,
                     @job[:unique_key])
      end
      nil
    end
  end

  # The app's connection, in the ways of its driver.
  class Session
    PER_STATEMENT = 500 # Rows: SQLite takes 32,766 values for a statement, MySQL 16 MB.

    # Of a connection of a driver, or one of ActiveRecord.
    def self.of(connection)
      raw = connection.respond_to?(:raw_connection) ? connection.raw_connection : connection
      case raw.class.name
      when "PG::Connection" then Postgresql.new(raw)
      when "Mysql2::Client" then Mysql.new(raw)
      when "SQLite3::Database" then Sqlite.new(raw)
      else raise ArgumentError, "a connection of pg, mysql2 or sqlite3 is needed, not #{raw.class}"
      end
    end

    def initialize(raw)
      @raw = raw
    end

    # What has no value is left out.
    def insert(table, unless_there: false, **row)
      insert_all(table, [row.compact], ending: unless_there ? self.unless_there : "")
    end

    # Rows that have the same columns.
    def insert_all(table, rows, ending: "")
      start = "INSERT INTO #{table} (#{rows[0].keys.join(", ")}) VALUES "
      marks = "(#{Array.new(rows[0].size, "?").join(", ")})"
      rows.each_slice(PER_STATEMENT) do |some|
        run(start + Array.new(some.size, marks).join(", ") + ending, *some.flat_map(&:values))
      end
    end

    # Columns take times for the session's; they are given in UTC.
    def in_utc
      yield
    end

    # Tells nodes that there are jobs.
    def announce; end

    # Lets a key be that is there already.
    def unless_there
      " ON CONFLICT DO NOTHING"
    end

    def locking(how = "")
      " FOR UPDATE#{how}"
    end

    def bytes(text)
      text
    end

    private

    def refuse_without_transaction(is_in_one)
      return if is_in_one

      raise ArgumentError, "the connection is in no transaction: begin the one of the job"
    end

    def utc_text(time)
      time.getutc.strftime("%Y-%m-%d %H:%M:%S.%L")
    end

    # One of the gem pg.
    class Postgresql < Session
      def initialize(raw)
        super
        refuse_without_transaction(raw.transaction_status != 0)
      end

      # Carries a statement out with a value for each +?+. Returns the rows, as arrays.
      def run(sql, *values)
        number = 0
        native = sql.gsub("?") { mark(values[(number += 1) - 1], number) }
        texts = values.map { |value| value.is_a?(Time) ? utc_text(value) : value }
        @raw.exec_params(native, texts).values
      end

      def bytes(text)
        { value: text, format: 1 }
      end

      def announce
        run("NOTIFY jobstrand")
      end

      private

      def mark(value, number)
        value.is_a?(Time) ? "CAST(CAST($#{number} AS text) AS timestamp(3))" : "$#{number}"
      end
    end

    # One of the gem mysql2.
    class Mysql < Session
      def in_utc
        run("SET @jobstrand_zone = @@session.time_zone, time_zone = '+00:00'")
        begin
          yield
        ensure
          run("SET time_zone = @jobstrand_zone")
        end
      end

      def run(sql, *values)
        values = values.map { |value| value.is_a?(Time) ? utc_text(value) : value }
        return @raw.query(sql).to_a if values.empty?

        statement = @raw.prepare(sql)
        begin
          statement.execute(*values, as: :array).to_a
        ensure
          statement.close
        end
      end

      # (INSERT IGNORE would tell the app of a warning.)
      def unless_there
        " ON DUPLICATE KEY UPDATE KEY_ = KEY_"
      end
    end

    # One of the gem sqlite3.
    class Sqlite < Session
      def initialize(raw)
        super
        refuse_without_transaction(raw.transaction_active?)
      end

      def run(sql, *values)
        @raw.prepare(sql) do |statement|
          statement.bind_params(values.map { |value| native(value) })
          statement.to_a
        end
      end

      def locking(_how = "")
        ""
      end

      def bytes(text)
        SQLite3::Blob.new(text)
      end

      private

      def native(value)
        case value
        when Time then utc_text(value)
        when true, false then value ? 1 : 0
        else value
        end
      end
    end
  end
end
