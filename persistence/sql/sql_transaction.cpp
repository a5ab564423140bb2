#include "persistence/sql/sql_transaction.hpp"

#include "persistence/sql/connection.hpp"
#include "persistence/sql/statement_text.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <utility>

namespace jobstrand::persistence {

void refuse_column(std::size_t column, std::size_t columns) {
    throw std::logic_error(fmt::format(
        "column {} was read, but the statement selects {}: columns count from 0", column, columns
    ));
}

namespace {

std::span<const Value> as_span(std::initializer_list<Value> parameters) {
    return {parameters.begin(), parameters.size()};
}

void require_active(Transaction::State state) {
    if (state != Transaction::State::active) {
        throw std::logic_error("this transaction has ended: it takes no more statements");
    }
}

}  // namespace

Transaction::Transaction(Connection& connection, Beginning beginning) : connection_(connection) {
    if (beginning == Beginning::anew) {
        connection_.begin();
    }
}

Transaction::~Transaction() {
    rollback();
}

template <typename Call>
auto Transaction::run(Call call) {
    require_active(state_);
    if (failure_) {
        throw DbError(*failure_);
    }
    // Defended catch: the work may swallow the error, and the transaction must not.
    try {
        return call();
    } catch (const DbError& error) {
        failure_ = error;
        throw;
    }
}

std::int64_t Transaction::execute(std::string_view sql, std::span<const Value> parameters) {
    return run([&] { return connection_.execute(sql, parameters); });
}

std::int64_t Transaction::execute(std::string_view sql, std::initializer_list<Value> parameters) {
    return execute(sql, as_span(parameters));
}

bool Transaction::copy_in(const NewRows& rows) {
    return run([&] { return connection_.copy_in(rows); });
}

void Transaction::query(Query query, std::span<const Value> parameters, const RowReader& read) {
    run([&] { connection_.query(query, parameters, read); });
}

void Transaction::query(
    Query query,
    std::initializer_list<Value> parameters,
    const RowReader& read
) {
    this->query(query, as_span(parameters), read);
}

void Transaction::announce_jobs() {
    run([this] { connection_.announce_jobs(); });
}

void Transaction::prepare() {
    for (const auto& callback : std::exchange(before_commit_, {})) {
        callback();
    }
}

void Transaction::commit() {
    prepare();
    // Defended catch: the state has to say how the commit ended. What to do about it is the
    // runner's business.
    try {
        run([this] { connection_.commit(); });
    } catch (const DbError& error) {
        if (error.kind() == DbErrorKind::in_doubt) {
            state_ = State::in_doubt;
            on_commit_.clear();
        } else {
            rollback();
        }
        throw;
    }
    call_committed();
}

void Transaction::commit_elsewhere(const std::function<void()>& wait) {
    state_ = State::rolled_back;  // As far as this one may touch the connection.
    // Defended catch: the state has to say how the commit ended.
    try {
        wait();
    } catch (const DbError& error) {
        if (error.kind() == DbErrorKind::in_doubt) {
            state_ = State::in_doubt;
        }
        on_commit_.clear();
        throw;
    }
    call_committed();
}

void Transaction::call_committed() {
    state_ = State::committed;
    for (const auto& callback : std::exchange(on_commit_, {})) {
        callback();
    }
}

void Transaction::rollback() noexcept {
    if (state_ != State::active) {
        return;
    }
    connection_.rollback();
    state_ = State::rolled_back;
    on_commit_.clear();
}

void Transaction::before_commit(std::function<void()> callback) {
    before_commit_.push_back(std::move(callback));
}

void Transaction::app_runs(std::string_view sql) {
    app_touches_ += may_touch_jobs(sql) ? 1 : 0;
}

void Transaction::on_commit(std::function<void()> callback) {
    on_commit_.push_back(std::move(callback));
}

}  // namespace jobstrand::persistence
