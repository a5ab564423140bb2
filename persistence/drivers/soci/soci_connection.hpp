#pragma once

#include "persistence/drivers/prepared_statements.hpp"
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

/// Connection over SOCI, for SQLite and PostgreSQL.
class SociConnection : public Connection {
public:
    /// `session` is open. `backend` must outlive this object.
    SociConnection(std::unique_ptr<soci::session> session, const SociBackend& backend);
    ~SociConnection() override;

    [[nodiscard]] const Dialect& dialect() const noexcept override { return backend_.dialect(); }
    std::int64_t execute(std::string_view sql, std::span<const Value> parameters) override;
    [[nodiscard]] bool copy_in(const NewRows& rows) override;
    void query(Query query, std::span<const Value> parameters, const RowReader& read) override;
    void run_script(std::string_view sql) override;
    void begin() override;
    void commit() override;
    void rollback() noexcept override;
    [[nodiscard]] bool is_usable() const noexcept override { return usable_; }

protected:
    [[nodiscard]] soci::session& session() { return *session_; }

private:
    DbError noted(const DbError& error) noexcept;
    void discard(std::unique_ptr<SociStatement> statement);
    template <typename Call>
    void run(Call call);

    const SociBackend& backend_;
    const std::unique_ptr<soci::session> session_;
    PreparedStatements<SociStatement, soci::soci_error>
        statements_;  ///< Closed before the session.

    /// Discarded, and to be closed when the database takes more than a rollback again.
    std::vector<std::unique_ptr<SociStatement>> discarded_;
    bool usable_ = true;
};

}  // namespace jobstrand::persistence
