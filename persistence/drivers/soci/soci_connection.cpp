#include "persistence/drivers/soci/soci_connection.hpp"

#include <soci/soci.h>

#include <utility>

namespace jobstrand::persistence {

namespace {

/// More distinct texts than the store has; the bound is for apps that write their values into SQL.
constexpr std::size_t kPreparedStatements = 256;

}  // namespace

SociConnection::SociConnection(std::unique_ptr<soci::session> session, const SociBackend& backend)
    : backend_(backend),
      session_(std::move(session)),
      statements_(
          kPreparedStatements,
          {.prepare = [this](std::string_view sql
                      ) { return std::make_unique<SociStatement>(*session_, backend_, sql); },
           .error_of =
               [this](const soci::soci_error& error, std::string_view attempted) {
                   return noted(backend_.error_of(*session_, error, attempted));
               },
           .discard = [this](std::unique_ptr<SociStatement> statement
                      ) { discard(std::move(statement)); }}
      ) {}

SociConnection::~SociConnection() = default;

DbError SociConnection::noted(const DbError& error) noexcept {
    usable_ = usable_ && !error.poisons_connection();
    return error;
}

template <typename Call>
void SociConnection::run(Call call) {
    // Defended catch: an error that poisons the connection has to be remembered by it.
    try {
        call();
    } catch (const DbError& error) {
        noted(error);
        throw;
    }
}

void SociConnection::discard(std::unique_ptr<SociStatement> statement) {
    discarded_.push_back(std::move(statement));
    if (!backend_.takes_only_rollback(*session_)) {
        discarded_.clear();
    }
}

std::int64_t SociConnection::execute(std::string_view sql, std::span<const Value> parameters) {
    return statements_.execute(sql, parameters);
}

bool SociConnection::copy_in(const NewRows& rows) {
    bool is_done = false;
    run([&] { is_done = backend_.copy_in(*session_, rows); });
    return is_done;
}

void SociConnection::query(Query query, std::span<const Value> parameters, const RowReader& read) {
    statements_.query(query, parameters, read);
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
