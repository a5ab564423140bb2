#pragma once

#include "persistence/connection.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace soci {
class session;
class statement;
}  // namespace soci

namespace jobstrand::persistence {

/// A prepared statement of SOCI with the buffers that its parameters and columns are bound to.
/// They are bound once and filled again for every run, so that a run allocates nothing.
///
/// Throws what SOCI throws. Thread safety: none, as its connection.
class SociStatement final {
public:
    /// `parameters`: how many placeholders the statement has.
    SociStatement(soci::session& session, const std::string& native_sql, std::size_t parameters);
    ~SociStatement();

    SociStatement(const SociStatement&) = delete;
    SociStatement& operator=(const SociStatement&) = delete;

    /// Returns the number of affected rows.
    std::int64_t execute(std::span<const Value> parameters);

    /// Calls `read` for each row; each row has `columns` columns.
    void query(std::size_t columns, std::span<const Value> parameters, const RowReader& read);

private:
    struct Parameter;
    struct Column;
    class FetchedRow;

    void fill(std::span<const Value> parameters);
    void bind(std::size_t columns);
    void release_large_buffers();

    std::unique_ptr<soci::statement> statement_;
    std::vector<Parameter> parameters_;
    std::vector<Column> columns_;
    bool bound_ = false;
};

}  // namespace jobstrand::persistence
