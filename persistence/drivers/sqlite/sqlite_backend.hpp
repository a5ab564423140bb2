#pragma once

#include "persistence/drivers/soci/soci_backend.hpp"
#include "persistence/drivers/sqlite/sqlite_dialect.hpp"
#include "persistence/sql/db_error.hpp"

#include <string_view>

namespace jobstrand::persistence {

/// The kind of an error of SQLite. `extended_code` is an extended result code; a primary code is
/// understood too, less precisely. The message decides only where SQLite has one code for many
/// mistakes (SQLITE_ERROR: a missing table or column among them).
[[nodiscard]] DbErrorKind classify_sqlite(int extended_code, std::string_view message);

/// The same for an error of COMMIT. An I/O error there leaves open whether the commit record has
/// reached the disk: in_doubt.
[[nodiscard]] DbErrorKind classify_sqlite_commit(int extended_code, std::string_view message);

/// SQLite as SOCI speaks to it.
class SqliteBackend final : public SociBackend {
public:
    [[nodiscard]] const Dialect& dialect() const noexcept override { return kSqliteDialect; }

    /// Takes the write lock at once: a transaction that begins by reading could otherwise fail in
    /// its middle, where waiting does not help.
    [[nodiscard]] std::string_view begin_statement() const noexcept override {
        return "BEGIN IMMEDIATE";
    }

    void require_storable(std::string_view /*text*/) const override {}

    void run_script(soci::session& session, std::string_view sql) const override;
    void commit(soci::session& session) const override;
    [[nodiscard]] bool in_transaction(soci::session& session) const noexcept override;

    [[nodiscard]] bool takes_only_rollback(soci::session& /*session*/) const noexcept override {
        return false;
    }

    /// Whether the file was opened without the right to write it: SQLite tries both.
    [[nodiscard]] bool is_read_only(soci::session& session) const noexcept;

    [[nodiscard]] bool has_native_integers() const noexcept override { return true; }
    [[nodiscard]] std::optional<std::string_view>
    cell(soci::details::statement_backend& statement, std::size_t column) const override;
    [[nodiscard]] bool is_null(soci::details::statement_backend& statement, std::size_t column)
        const override;
    [[nodiscard]] std::optional<std::int64_t>
    native_integer(soci::details::statement_backend& statement, std::size_t column) const override;
    [[nodiscard]] bool is_bytes(soci::details::statement_backend& statement, std::size_t column)
        const override;
    [[nodiscard]] double real(soci::details::statement_backend& statement, std::size_t column)
        const override;
    [[nodiscard]] std::size_t columns(soci::details::statement_backend& statement) const override;
    [[nodiscard]] std::optional<std::string> text_of_bytes(Bytes bytes) const override;
    [[nodiscard]] Bytes bytes_of(std::string_view cell, std::string& buffer) const override;
    [[nodiscard]] DbError error_of(
        soci::session& session,
        const soci::soci_error& error,
        std::string_view attempted,
        bool was_known
    ) const override;
};

}  // namespace jobstrand::persistence
