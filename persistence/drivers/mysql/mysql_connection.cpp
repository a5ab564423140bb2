#include "persistence/drivers/mysql/mysql_connection.hpp"

#include "persistence/drivers/mysql/limits_in_text.hpp"
#include "persistence/drivers/mysql/mysql_errors.hpp"
#include "persistence/sql/sql_summary.hpp"

#include <cppconn/connection.h>
#include <cppconn/exception.h>
#include <cppconn/resultset.h>
#include <cppconn/statement.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace jobstrand::persistence {

namespace {

/// More distinct texts than the store has. A server keeps 16,382 for all its connections together
/// (max_prepared_stmt_count), so that a connection must not keep very many.
constexpr std::size_t kPreparedStatements = 128;

/// MySQL (not MariaDB) does not prepare these: error 1295.
bool is_of_savepoint(std::string_view sql) {
    constexpr std::array<std::string_view, 3> kWords{
        "SAVEPOINT", "ROLLBACK TO", "RELEASE SAVEPOINT"};
    sql.remove_prefix(std::min(sql.find_first_not_of(" \t\r\n"), sql.size()));
    return std::ranges::any_of(kWords, [&](std::string_view words) {
        return std::ranges::equal(sql.substr(0, words.size()), words, {}, [](char c) {
            return static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
        });
    });
}

DbError error_of(const sql::SQLException& error, std::string_view attempted) {
    const int code = error.getErrorCode();
    return DbError(
        classify_mysql(code, error.what()), mysql_error_text(attempted, error.what(), code)
    );
}

DbError commit_error_of(const sql::SQLException& error) {
    const int code = error.getErrorCode();
    return DbError(
        classify_mysql_commit(code, error.what()), mysql_error_text("COMMIT", error.what(), code)
    );
}

}  // namespace

MysqlConnection::MysqlConnection(std::unique_ptr<sql::Connection> connection, Limits limits)
    : connection_(std::move(connection)),
      text_statement_(connection_->createStatement()),
      statements_(
          kPreparedStatements,
          {.prepare = [this](std::string_view sql
                      ) { return std::make_unique<MysqlStatement>(*connection_, sql); },
           .error_of =
               [this](const sql::SQLException& error, std::string_view attempted, bool) {
                   return noted(error_of(error, attempted));
               },
           .discard = [](std::unique_ptr<MysqlStatement> /*closed*/) {}}
      ),
      limits_(limits) {}

MysqlConnection::~MysqlConnection() = default;

std::int64_t MysqlConnection::execute(std::string_view sql, std::span<const Value> parameters) {
    if (parameters.empty() && is_of_savepoint(sql)) {
        run_script(sql);
        return 0;
    }
    if (limits_ == Limits::as_text) {
        const PlainStatement plain = with_limits_in_text(sql, parameters);
        return statements_.execute(plain.sql, plain.parameters);
    }
    return statements_.execute(sql, parameters);
}

void MysqlConnection::query(Query query, std::span<const Value> parameters, const RowReader& read) {
    if (limits_ == Limits::as_text) {
        const PlainStatement plain = with_limits_in_text(query.sql, parameters);
        return statements_.query({plain.sql, query.columns}, plain.parameters, read);
    }
    statements_.query(query, parameters, read);
}

void MysqlConnection::run_script(std::string_view sql) {
    // Defended catch: here the driver's errors become ours.
    try {
        run_text(sql);
    } catch (const sql::SQLException& error) {
        throw noted(error_of(error, sql_summary(sql)));
    }
}

void MysqlConnection::run_text(std::string_view sql) {
    if (text_statement_->execute({sql.data(), sql.size()})) {
        // A result that is not fetched would block the connection.
        const std::unique_ptr<sql::ResultSet> unread(text_statement_->getResultSet());
    }
}

void MysqlConnection::begin() {
    run_script("START TRANSACTION");
}

void MysqlConnection::commit() {
    // Defended catch: an error of COMMIT has another meaning. The driver's own commit() would not
    // do: it drops the error.
    try {
        run_text("COMMIT");
    } catch (const sql::SQLException& error) {
        throw noted(commit_error_of(error));
    }
}

void MysqlConnection::rollback() noexcept {
    // Defended catch: whoever rolls back is already dealing with an error. A connection that does
    // not answer is lost, and the server rolls back then.
    try {
        if (usable_) {
            run_text("ROLLBACK");
        }
    } catch (const std::exception&) {
        usable_ = false;
    }
}

DbError MysqlConnection::noted(const DbError& error) noexcept {
    usable_ = usable_ && !error.poisons_connection();
    return error;
}

}  // namespace jobstrand::persistence
