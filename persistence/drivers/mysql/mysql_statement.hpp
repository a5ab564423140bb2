#pragma once

#include "persistence/sql/connection.hpp"

#include <cstdint>
#include <iosfwd>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace sql {
class Connection;
class PreparedStatement;
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

}  // namespace jobstrand::persistence
