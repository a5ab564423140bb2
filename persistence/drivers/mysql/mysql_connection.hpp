#pragma once

#include "persistence/drivers/mysql/mysql_dialect.hpp"
#include "persistence/drivers/mysql/mysql_statement.hpp"
#include "persistence/drivers/prepared_statements.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"

#include <memory>

namespace sql {
class Connection;
class SQLException;
class Statement;
}  // namespace sql

namespace jobstrand::persistence {

/// Connection over MySQL Connector/C++, for MySQL and MariaDB: server-side prepared statements,
/// kept by their text.
class MysqlConnection final : public Connection {
public:
    /// How the numbers behind LIMIT and OFFSET are given to the server.
    enum class Limits { as_parameters, as_text };

    /// `connection` is open, and its session is set up.
    MysqlConnection(std::unique_ptr<sql::Connection> connection, Limits limits);
    ~MysqlConnection() override;

    [[nodiscard]] const Dialect& dialect() const noexcept override { return *dialect_; }

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
    const Limits limits_;
    const Dialect* dialect_ = &kMysqlDialect;
    bool usable_ = true;
};

}  // namespace jobstrand::persistence
