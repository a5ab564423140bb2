#pragma once

#include "persistence/drivers/soci/soci_backend.hpp"
#include "persistence/sql/connection.hpp"

#include <cstdint>
#include <memory>
#include <span>
#include <string_view>
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
    /// The session and the backend must outlive it.
    SociStatement(soci::session& session, const SociBackend& backend, std::string_view sql)
        : SociStatement(session, backend, backend.native_statement(sql)) {}
    ~SociStatement();

    SociStatement(const SociStatement&) = delete;
    SociStatement& operator=(const SociStatement&) = delete;

    /// Returns the number of affected rows.
    std::int64_t execute(std::span<const Value> parameters);

    /// Calls `read` for each row; each row has `columns` columns, see Query.
    void query(std::size_t columns, std::span<const Value> parameters, const RowReader& read);

private:
    struct Parameter;
    struct Column;
    class FetchedRow;

    SociStatement(soci::session& session, const SociBackend& backend, NativeStatement statement);

    void fill(std::span<const Value> parameters);
    void bind(bool returns_rows);
    void release_large_buffers();

    soci::session& session_;
    const SociBackend& backend_;
    const std::unique_ptr<soci::statement> statement_;
    const std::vector<std::size_t> sizes_;  ///< See NativeStatement.
    std::vector<Parameter> parameters_;
    const std::unique_ptr<Column> first_column_;
    bool bound_ = false;
    bool returns_rows_ = false;  ///< Bound with its first column.
};

}  // namespace jobstrand::persistence
