#include "persistence/drivers/mysql/mysql_connection.hpp"

#include "persistence/drivers/mysql/limits_in_text.hpp"
#include "persistence/drivers/mysql/mysql_errors.hpp"
#include "persistence/drivers/prepared_statements.hpp"
#include "persistence/sql/sql_values.hpp"
#include "persistence/sql/statement_text.hpp"

#include <cppconn/connection.h>
#include <cppconn/datatype.h>
#include <cppconn/exception.h>
#include <cppconn/metadata.h>
#include <cppconn/parameter_metadata.h>
#include <cppconn/prepared_statement.h>
#include <cppconn/resultset.h>
#include <cppconn/resultset_metadata.h>
#include <cppconn/statement.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>
#include <utility>

namespace jobstrand::persistence {

namespace {

sql::SQLString as_sql_string(std::string_view text) {
    return {text.data(), text.size()};
}

bool is_plain(std::string_view text) {
    return std::ranges::all_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x80; });
}

/// The driver counts parameters and columns from 1.
unsigned int driver_index(std::size_t index) {
    return static_cast<unsigned int>(index + 1);
}

}  // namespace

/// Sets one parameter: a visitor for the kinds of values.
struct MysqlStatement::Binding {
    sql::PreparedStatement& statement;
    unsigned int index;
    std::vector<std::unique_ptr<std::istream>>& streams;
    Texts texts;

    void operator()(std::nullptr_t) const { statement.setNull(index, sql::DataType::VARCHAR); }
    void operator()(bool value) const { statement.setBoolean(index, value); }
    void operator()(std::int64_t value) const { statement.setInt64(index, value); }
    void operator()(std::string_view value) const {
        if (texts == Texts::as_bytes && !is_plain(value)) {
            (*this)(std::as_bytes(std::span(value)));
        } else {
            statement.setString(index, as_sql_string(value));
        }
    }
    void operator()(double value) const { statement.setDouble(index, value); }
    void operator()(Bytes value) const {
        const std::string_view text(reinterpret_cast<const char*>(value.data()), value.size());
        streams.push_back(std::make_unique<std::istringstream>(std::string(text)));
        statement.setBlob(index, streams.back().get());
    }
    void operator()(schema::TimePoint value) const { (*this)(SqlTime(value).text()); }
};

class MysqlStatement::FetchedRow final : public Row {
public:
    FetchedRow(const sql::ResultSet& result, std::vector<std::string>& texts)
        : result_(result), texts_(texts) {}

    [[nodiscard]] bool is_null(std::size_t column) const override {
        return result_.isNull(index_of(column));
    }
    [[nodiscard]] std::string_view text(std::size_t column) const override {
        const unsigned int index = index_of(column);
        // Assigned, not moved, so that a view from an earlier call for this column stays valid.
        return texts_[column].assign(result_.getString(index));
    }
    [[nodiscard]] std::int64_t integer(std::size_t column) const override {
        return result_.getInt64(index_of(column));
    }
    [[nodiscard]] double real(std::size_t column) const override {
        return static_cast<double>(result_.getDouble(index_of(column)));
    }
    [[nodiscard]] bool boolean(std::size_t column) const override {
        return result_.getBoolean(index_of(column));
    }
    [[nodiscard]] Bytes blob(std::size_t column) const override {
        return std::as_bytes(std::span(text(column)));
    }
    [[nodiscard]] std::optional<schema::TimePoint> time(std::size_t column) const override {
        return is_null(column) ? std::nullopt : std::optional(require_sql_time(text(column)));
    }

private:
    [[nodiscard]] unsigned int index_of(std::size_t column) const {
        require_column(column, texts_.size());
        return driver_index(column);
    }

    const sql::ResultSet& result_;
    std::vector<std::string>& texts_;
};

MysqlStatement::MysqlStatement(sql::Connection& connection, std::string_view sql)
    : statement_(connection.prepareStatement(as_sql_string(sql))) {}

MysqlStatement::~MysqlStatement() = default;

// To the server bytes have the character set of what they are compared with, so that no letter has
// to be turned into it, and an index is used all the same.
template <typename Run>
auto MysqlStatement::run_bound(std::span<const Value> parameters, const Run& run) {
    bind(parameters, Texts::as_text);
    // Defended catch: nothing was run, and this error has a remedy.
    try {
        return run();
    } catch (const sql::SQLException& error) {
        if (!is_mix_of_character_sets(error.getErrorCode())) {
            throw;
        }
    }
    bind(parameters, Texts::as_bytes);
    return run();
}

std::int64_t MysqlStatement::execute(std::span<const Value> parameters) {
    return run_bound(parameters, [this] { return std::int64_t{statement_->executeUpdate()}; });
}

void MysqlStatement::query(
    std::size_t columns,
    std::span<const Value> parameters,
    const RowReader& read
) {
    const std::unique_ptr<sql::ResultSet> result(run_bound(parameters, [this] {
        return statement_->executeQuery();
    }));
    texts_.resize(columns == 0 ? result->getMetaData()->getColumnCount() : columns);
    const FetchedRow row(*result, texts_);
    while (result->next()) {
        read(row);
    }
    for (std::string& text : texts_) {
        release_if_large(text);
    }
}

void MysqlStatement::bind(std::span<const Value> parameters, Texts texts) {
    const auto expected =
        static_cast<std::size_t>(statement_->getParameterMetaData()->getParameterCount());
    require_parameters(expected, parameters.size());
    streams_.clear();
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        std::visit(Binding{*statement_, driver_index(i), streams_, texts}, parameters[i]);
    }
}

namespace {

/// More distinct texts than the store has; at a shard, where limits are part of the text, some are
/// prepared again. A server keeps 16,382 for all its connections together
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

/// On MySQL itself and on MariaDB a database may have such a name, too.
bool aims_at_shard(sql::Connection& connection, std::string_view database) {
    return database.find(':') != std::string_view::npos &&
           connection.getMetaData()->getDatabaseProductVersion().asStdString().find("Vitess") !=
               std::string::npos;
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

MysqlConnection::MysqlConnection(
    std::unique_ptr<sql::Connection> connection,
    std::string_view database
)
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
      is_at_shard_(aims_at_shard(*connection_, database)) {}

MysqlConnection::~MysqlConnection() = default;

std::int64_t MysqlConnection::execute(std::string_view sql, std::span<const Value> parameters) {
    if (parameters.empty() && is_of_savepoint(sql)) {
        run_script(sql);
        return 0;
    }
    if (is_at_shard_) {
        const PlainStatement plain = with_limits_in_text(sql, parameters);
        return statements_.execute(plain.sql, plain.parameters);
    }
    return statements_.execute(sql, parameters);
}

void MysqlConnection::query(Query query, std::span<const Value> parameters, const RowReader& read) {
    if (is_at_shard_) {
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
