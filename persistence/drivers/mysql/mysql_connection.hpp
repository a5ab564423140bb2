#pragma once

#include "persistence/drivers/mysql/mysql_dialect.hpp"
#include "persistence/drivers/prepared_statements.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sql {
class Connection;
class PreparedStatement;
class SQLException;
class Statement;
}  // namespace sql

namespace jobstrand::persistence {

/// A statement that the server has prepared. Throws what Connector/C++ throws. A text that a column
/// cannot hold, because its character set does not have all of the letters, is equal to nothing in
/// it, as on the other databases.
///
/// Thread safety: none, as its connection.
class MysqlStatement final {
public:
    MysqlStatement(sql::Connection& connection, std::string_view sql);
    ~MysqlStatement();

    MysqlStatement(const MysqlStatement&) = delete;
    MysqlStatement& operator=(const MysqlStatement&) = delete;

    /// Returns the number of affected rows.
    std::int64_t execute(std::span<const Value> parameters);

    /// Calls `read` for each row; each row has `columns` columns, see Query.
    void query(std::size_t columns, std::span<const Value> parameters, const RowReader& read);

private:
    class FetchedRow;
    struct Binding;

    /// How texts with letters outside of ASCII are given to the server.
    enum class Texts { as_text, as_bytes };

    void bind(std::span<const Value> parameters, Texts texts);

    /// Binds the parameters and calls `run`, once more when the server finds no character set for
    /// all of them.
    template <typename Run>
    auto run_bound(std::span<const Value> parameters, const Run& run);

    const std::unique_ptr<sql::PreparedStatement> statement_;
    std::vector<std::string> texts_;  ///< Of the current row, one for each column.
    /// What the driver reads bytes from when the statement is executed.
    std::vector<std::unique_ptr<std::istream>> streams_;
};

/// Connection over MySQL Connector/C++, for MySQL and MariaDB: server-side prepared statements,
/// kept by their text.
class MysqlConnection final : public Connection {
public:
    /// `connection` is open, and its session is set up. `database` is the one of the URL.
    MysqlConnection(std::unique_ptr<sql::Connection> connection, std::string_view database);
    ~MysqlConnection() override;

    [[nodiscard]] const Dialect& dialect() const noexcept override { return *dialect_; }

    /// Whether it aims at a shard of Vitess (`keyspace:-80`). vtgate prepares a statement for one
    /// by running it with NULL for each parameter, so that numbers behind LIMIT stand in the text.
    [[nodiscard]] bool is_at_shard() const noexcept { return is_at_shard_; }

    /// What the tables ask for; kMysqlDialect until it is said.
    void speak(const Dialect& dialect) noexcept { dialect_ = &dialect; }

    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override;
    void query(Query query, std::span<const Value> parameters, const RowReader& read) override;

    /// One statement.
    void run_script(std::string_view sql) override;

    void begin() override;
    void commit() override;
    void rollback() noexcept override;
    [[nodiscard]] bool is_usable() const noexcept override { return usable_; }

private:
    void run_text(std::string_view sql);
    DbError noted(const DbError& error) noexcept;

    const std::unique_ptr<sql::Connection> connection_;
    const std::unique_ptr<sql::Statement> text_statement_;
    PreparedStatements<MysqlStatement, sql::SQLException> statements_;  ///< Closed before it.
    const bool is_at_shard_;
    const Dialect* dialect_ = &kMysqlDialect;
    bool usable_ = true;
};

}  // namespace jobstrand::persistence
