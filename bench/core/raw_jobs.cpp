#include "bench/core/raw_jobs.hpp"

#include "bench/core/open_loop.hpp"
#include "bench/core/run_ledger.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobstrand::bench {

namespace {

using persistence::by_index;
using persistence::Connection;
using persistence::delete_where;
using persistence::Row;
using persistence::Transaction;
using persistence::Value;
using schema::JobPlace;

/// Rows of one INSERT: beyond a few hundred nothing is gained, and SQLite and PostgreSQL bound the
/// number of parameters.
constexpr std::size_t kRowsPerInsert = 250;

std::string repeated(std::string_view text, std::size_t count) {
    std::string all;
    all.reserve((text.size() + 2) * count);
    for (std::size_t i = 0; i < count; ++i) {
        all += i == 0 ? "" : ", ";
        all += text;
    }
    return all;
}

/// A page that is not full repeats its last id: the statement stays the same one.
std::vector<Value> padded(const std::vector<std::string>& ids, std::size_t size) {
    std::vector<Value> values(ids.begin(), ids.end());
    values.resize(size, Value{std::string_view(ids.back())});
    return values;
}

/// A job's texts, which the parameters borrow.
struct RawJob {
    std::string id;
    std::string payload;
    std::string instance;
};

/// One INSERT of up to kRowsPerInsert jobs.
class RawInsert {
public:
    explicit RawInsert(const RawJobs& jobs)
        : jobs_(jobs),
          has_retries_(jobs.place != JobPlace::dead_letter),
          type_(jobs.due_date ? schema::kTimerType : schema::kMessageType) {}

    void run(Transaction& transaction, std::size_t first, std::size_t count) {
        texts_.clear();
        values_.clear();
        const schema::TimePoint now = clock_.now();
        for (std::size_t number = first; number < first + count; ++number) {
            texts_.push_back(
                {.id = ids_.next(now),
                 .payload = RunLedger::payload_of(number),
                 .instance = instance_of(number)}
            );
        }
        for (std::size_t i = 0; i < count; ++i) {
            append(texts_[i], first + i, now);
        }
        transaction.execute(text(count), values_);
    }

private:
    [[nodiscard]] std::string text(std::size_t rows) const {
        const std::string_view columns =
            "ID_, REV_, TYPE_, EXCLUSIVE_, CORRELATION_ID_, HANDLER_TYPE_, HANDLER_CFG_, "
            "CREATE_TIME_, DUEDATE_, PROCESS_INSTANCE_ID_, PRIORITY_";
        const std::string row = "(" + repeated("?", has_retries_ ? 12 : 11) + ")";
        return fmt::format(
            "INSERT INTO {} ({}{}) VALUES {}",
            schema::table_of(jobs_.place),
            columns,
            has_retries_ ? ", RETRIES_" : "",
            repeated(row, rows)
        );
    }

    [[nodiscard]] std::string instance_of(std::size_t number) const {
        if (jobs_.instances == 0) {
            return "";
        }
        return fmt::format(
            "instance-{}",
            jobs_.are_instances_together
                ? (number - jobs_.first_number) * jobs_.instances / jobs_.count
                : number % jobs_.instances
        );
    }

    void append(const RawJob& job, std::size_t number, schema::TimePoint now) {
        const std::string_view id = job.id;
        const std::string_view payload = job.payload;
        const Value due = jobs_.due_date ? Value{jobs_.due_date(number)} : Value{};
        const auto priority = static_cast<std::int64_t>(number % jobs_.priorities);
        values_.insert(
            values_.end(), {id, std::int64_t{1}, type_, true, id, kHandlerType, payload, now, due}
        );
        values_.push_back(persistence::text_or_null(job.instance));
        values_.emplace_back(priority);
        if (has_retries_) {
            values_.emplace_back(std::int64_t{schema::kDefaultRetries});
        }
    }

    const RawJobs& jobs_;
    const bool has_retries_;
    const std::string_view type_;
    schema::SystemClock clock_;
    schema::Uuid7Source ids_;
    std::vector<RawJob> texts_;
    std::vector<Value> values_;
};

std::string columns_of_both(JobPlace one, JobPlace other) {
    const auto columns = [](JobPlace place) {
        const auto tables = schema::tables();
        const auto table = std::find_if(tables.begin(), tables.end(), [&](const auto& each) {
            return each.name == schema::table_of(place);
        });
        std::vector<std::string_view> names;
        for (const schema::Column& column : table->columns) {
            names.push_back(column.name);
        }
        return names;
    };
    const std::vector<std::string_view> theirs = columns(other);
    std::vector<std::string_view> shared = columns(one);
    std::erase_if(shared, [&](std::string_view name) {
        return std::find(theirs.begin(), theirs.end(), name) == theirs.end();
    });
    return fmt::format("{}", fmt::join(shared, ", "));
}

}  // namespace

void insert_raw(Connection& connection, const RawJobs& jobs, std::size_t jobs_per_transaction) {
    RawInsert insert(jobs);
    for (std::size_t done = 0; done < jobs.count;) {
        Transaction transaction(connection);
        const std::size_t end = std::min(jobs.count, done + jobs_per_transaction);
        while (done < end) {
            const std::size_t rows = std::min(kRowsPerInsert, end - done);
            insert.run(transaction, jobs.first_number + done, rows);
            done += rows;
        }
        transaction.commit();
    }
}

RawPage::RawPage(Connection& connection, std::size_t size)
    : connection_(connection),
      size_(size),
      select_(fmt::format(
          "SELECT ID_, HANDLER_TYPE_, HANDLER_CFG_ FROM ACT_RU_JOB {} WHERE ID_ > ? AND "
          "LOCK_EXP_TIME_ IS NULL ORDER BY ID_ LIMIT {} {}",
          connection.dialect().by_id,
          size,
          connection.dialect().skip_locked
      )),
      lock_(fmt::format(
          "UPDATE ACT_RU_JOB {} SET LOCK_OWNER_ = 'raw', LOCK_EXP_TIME_ = '2037-01-01 00:00:00', "
          "REV_ = REV_ + 1 WHERE ID_ IN ({})",
          connection.dialect().by_id,
          repeated("?", size)
      )),
      delete_(fmt::format(
          "{} ID_ IN ({}) AND LOCK_OWNER_ = 'raw'",
          delete_where(connection.dialect(), "ACT_RU_JOB"),
          repeated("?", size)
      )),
      select_due_(fmt::format(
          "SELECT ID_ FROM ACT_RU_TIMER_JOB {} WHERE DUEDATE_ <= ? AND LOCK_EXP_TIME_ IS NULL "
          "ORDER BY DUEDATE_, ID_ LIMIT {} {}",
          by_index(connection.dialect(), "JS_IDX_TIMER_DUE"),
          size,
          connection.dialect().skip_locked
      )),
      insert_due_(fmt::format(
          "INSERT INTO ACT_RU_JOB ({0}) SELECT {0} FROM ACT_RU_TIMER_JOB {1} WHERE ID_ IN ({2})",
          columns_of_both(JobPlace::executable, JobPlace::timer),
          connection.dialect().by_id,
          repeated("?", size)
      )),
      delete_due_(fmt::format(
          "{} ID_ IN ({})",
          delete_where(connection.dialect(), "ACT_RU_TIMER_JOB"),
          repeated("?", size)
      )) {}

std::size_t RawPage::claim() {
    Transaction transaction(connection_);
    ids_.clear();
    std::size_t bytes = 0;
    const Value behind{std::string_view(behind_)};
    transaction.query({.sql = select_, .columns = 3}, {&behind, 1}, [&](const Row& row) {
        ids_.emplace_back(row.text(0));
        bytes += row.text(1).size() + row.text(2).size();
    });
    if (bytes > 0) {
        execute_for_ids(lock_);
        behind_ = ids_.back();
    }
    transaction.commit();
    return ids_.size();
}

void RawPage::remove() {
    Transaction transaction(connection_);
    const std::int64_t removed = execute_for_ids(delete_);
    transaction.commit();
    if (removed != static_cast<std::int64_t>(ids_.size())) {
        throw std::runtime_error("the raw SQL deleted other jobs than it had claimed");
    }
}

std::size_t RawPage::move_due() {
    Transaction transaction(connection_);
    ids_.clear();
    const std::vector<Value> now{schema::SystemClock().now()};
    transaction.query({.sql = select_due_, .columns = 1}, now, [&](const Row& row) {
        ids_.emplace_back(row.text(0));
    });
    if (!ids_.empty()) {
        execute_for_ids(insert_due_);
        execute_for_ids(delete_due_);
    }
    transaction.commit();
    return ids_.size();
}

std::int64_t RawPage::execute_for_ids(const std::string& sql) {
    return connection_.execute(sql, padded(ids_, size_));
}

RawLease::RawLease(Connection& connection, LeaseGate& gate, std::size_t size)
    : connection_(connection),
      gate_(gate),
      size_(size),
      select_(fmt::format(
          "SELECT ID_, HANDLER_TYPE_, HANDLER_CFG_ FROM ACT_RU_JOB {} WHERE ID_ > ? "
          "ORDER BY ID_ LIMIT {}",
          connection.dialect().by_id,
          size
      )),
      delete_(fmt::format(
          "{} ID_ IN ({})",
          delete_where(connection.dialect(), "ACT_RU_JOB"),
          repeated("?", size)
      )) {}

void RawLease::create_table(Connection& connection) {
    drop_table(connection);
    const std::string_view id = connection.dialect().tables.types.id;
    connection.run_script(fmt::format(
        "CREATE TABLE JS_BENCH_LEASE (ID_ {0} PRIMARY KEY, FIRST_ {0}, LAST_ {0}){1}",
        id,
        connection.dialect().tables.table_options
    ));
}

void RawLease::drop_table(Connection& connection) {
    connection.run_script("DROP TABLE IF EXISTS JS_BENCH_LEASE");
}

std::size_t RawLease::claim() {
    const std::scoped_lock lock(gate_.mutex);
    Transaction transaction(connection_);
    ids_.clear();
    std::size_t bytes = 0;
    const Value behind{std::string_view(gate_.behind)};
    transaction.query({.sql = select_, .columns = 3}, {&behind, 1}, [&](const Row& row) {
        ids_.emplace_back(row.text(0));
        bytes += row.text(1).size() + row.text(2).size();
    });
    if (bytes > 0) {
        name_ = names_.next(schema::SystemClock().now());
        transaction.execute(
            "INSERT INTO JS_BENCH_LEASE (ID_, FIRST_, LAST_) VALUES (?, ?, ?)",
            {std::string_view(name_), std::string_view(ids_.front()), std::string_view(ids_.back())}
        );
        gate_.behind = ids_.back();
    }
    transaction.commit();
    return ids_.size();
}

void RawLease::remove() {
    Transaction transaction(connection_);
    const std::int64_t removed = connection_.execute(delete_, padded(ids_, size_));
    transaction.execute("DELETE FROM JS_BENCH_LEASE WHERE ID_ = ?", {std::string_view(name_)});
    transaction.commit();
    if (removed != static_cast<std::int64_t>(ids_.size())) {
        throw std::runtime_error("the raw SQL deleted other jobs than it had leased");
    }
}

void insert_bulk(BenchDatabase& database, const RawJobs& jobs, const BulkInsert& how) {
    run_threads(how.connections, [&](std::size_t thread) {
        const std::size_t begin = jobs.count * thread / how.connections;
        const std::size_t end = jobs.count * (thread + 1) / how.connections;
        RawJobs part = jobs;
        part.first_number += begin;
        part.count = end - begin;
        const auto session = database.lease(persistence::SessionPool::Access::write);
        insert_raw(*session, part, how.jobs_per_transaction);
    });
}

std::size_t connections_for(const BenchDatabase& database) {
    return database.driver().has_one_writer ? 1 : 2;
}

}  // namespace jobstrand::bench
