#include "persistence/drivers/mysql/mysql_errors.hpp"
#include "persistence/drivers/postgresql/postgresql_errors.hpp"
#include "persistence/drivers/sqlite/sqlite_errors.hpp"
#include "persistence/sql/sql_summary.hpp"
#include "schema/clock.hpp"
#include "tools/engine/conversions.hpp"
#include "tools/engine/plain_producer.hpp"

#include <fmt/format.h>
#include <jobstrand/enqueuer.hpp>

#include <stdexcept>
#include <utility>

namespace jobstrand {

class Enqueuer::Parts {
public:
    Parts(AppConnection app_connection, const RetryOptions& retry)
        : connection(std::move(app_connection)), producer(clock, engine::policy_of(retry)) {}

    const AppConnection connection;
    const schema::SystemClock clock;
    engine::PlainProducer producer;
};

Enqueuer::Enqueuer(AppConnection connection, const RetryOptions& retry)
    : parts_(std::make_unique<Parts>(std::move(connection), retry)) {}

Enqueuer::~Enqueuer() = default;
Enqueuer::Enqueuer(Enqueuer&&) noexcept = default;
Enqueuer& Enqueuer::operator=(Enqueuer&&) noexcept = default;

std::string Enqueuer::enqueue(NewJob job) {
    std::vector<NewJob> jobs;
    jobs.push_back(std::move(job));
    return enqueue_all(std::move(jobs)).front();
}

std::vector<std::string> Enqueuer::enqueue_all(std::vector<NewJob> jobs) {
    return parts_->producer.enqueue(parts_->connection, std::move(jobs));
}

namespace bridge {

namespace {

[[noreturn]] void
fail(persistence::DbErrorKind kind, std::string_view message, std::string_view sql) {
    throw Error(
        engine::to_public(kind), fmt::format("{}: {}", persistence::sql_summary(sql), message)
    );
}

}  // namespace

void fail_on_sqlite(int extended_code, std::string_view message, std::string_view sql) {
    fail(persistence::classify_sqlite(extended_code, message), message, sql);
}

void fail_on_postgresql(std::string_view sqlstate, std::string_view message, std::string_view sql) {
    const persistence::DbErrorKind kind = sqlstate.empty()
                                              ? persistence::DbErrorKind::connection_lost
                                              : persistence::classify_postgresql(sqlstate);
    const std::string text =
        persistence::postgresql_error_text(persistence::sql_summary(sql), message, sqlstate);
    throw Error(engine::to_public(kind), text);
}

void fail_on_mysql(unsigned code, std::string_view message, std::string_view sql) {
    const int number = static_cast<int>(code);
    throw Error(
        engine::to_public(persistence::classify_mysql(number, message)),
        persistence::mysql_error_text(persistence::sql_summary(sql), message, number)
    );
}

void refuse_without_transaction() {
    throw std::logic_error(
        "no transaction is open on this connection: begin one, write your rows and enqueue in it, "
        "then commit"
    );
}

}  // namespace bridge

}  // namespace jobstrand
