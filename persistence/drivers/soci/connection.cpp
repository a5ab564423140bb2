#include "persistence/drivers/soci/connection.hpp"

#include "persistence/sql/sql_summary.hpp"

#include <soci/soci.h>

#include <utility>

namespace jobstrand::persistence {

namespace {

/// More distinct texts than the store has; the bound is for apps that write their values into SQL.
constexpr std::size_t kPreparedStatements = 256;

}  // namespace

SociConnection::SociConnection(std::unique_ptr<soci::session> session, const SociBackend& backend)
    : backend_(backend), session_(std::move(session)), statements_(kPreparedStatements) {}

SociConnection::~SociConnection() = default;

template <typename Run>
auto SociConnection::run_prepared(std::string_view sql, Run run) {
    // Defended catch: here SOCI's errors become ours, and a statement that was left in its middle
    // (by its own error or by the reader's) must not be used again.
    try {
        return run(prepared(sql));
    } catch (const soci::soci_error& error) {
        const DbError ours = backend_.error_of(*session_, error, sql_summary(sql));
        discard(sql);
        usable_ = usable_ && !ours.poisons_connection();
        throw ours;
    } catch (...) {
        discard(sql);
        throw;
    }
}

template <typename Call>
void SociConnection::run(Call call) {
    // Defended catch: an error that poisons the connection has to be remembered by it.
    try {
        call();
    } catch (const DbError& error) {
        usable_ = usable_ && !error.poisons_connection();
        throw;
    }
}

std::int64_t SociConnection::execute(std::string_view sql, std::span<const Value> parameters) {
    return run_prepared(sql, [&](SociStatement& statement) {
        return statement.execute(parameters);
    });
}

void SociConnection::query(Query query, std::span<const Value> parameters, const RowReader& read) {
    run_prepared(query.sql, [&](SociStatement& statement) {
        statement.query(query.columns, parameters, read);
    });
}

SociStatement& SociConnection::prepared(std::string_view sql) {
    if (SociStatement* known = statements_.find(sql)) {
        return *known;
    }
    return statements_.insert(sql, std::make_unique<SociStatement>(*session_, backend_, sql));
}

void SociConnection::discard(std::string_view sql) {
    discarded_.push_back(statements_.take(sql));
    if (!backend_.takes_only_rollback(*session_)) {
        discarded_.clear();
    }
}

void SociConnection::run_script(std::string_view sql) {
    run([&] { backend_.run_script(*session_, sql); });
}

void SociConnection::begin() {
    run([&] { backend_.run_script(*session_, backend_.begin_statement()); });
}

void SociConnection::commit() {
    run([&] { backend_.commit(*session_); });
}

void SociConnection::rollback() noexcept {
    // Defended catch: whoever rolls back is already dealing with an error. After some errors the
    // database has rolled back by itself, and then nothing is wrong with the connection.
    try {
        backend_.run_script(*session_, "ROLLBACK");
    } catch (const std::exception&) {
        usable_ = usable_ && !backend_.in_transaction(*session_);
    }
    discarded_.clear();
}

}  // namespace jobstrand::persistence
