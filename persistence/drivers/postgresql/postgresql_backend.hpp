#pragma once

#include "persistence/drivers/postgresql/postgresql_dialect.hpp"
#include "persistence/drivers/soci/soci_backend.hpp"
#include "persistence/sql/many_rows.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

// How many values go to the server in one text. Each parameter of a statement is copied and looked
// up several times on its way, here and there; of a text, only the text is.

/// Names the placeholders as SOCI wants it, `:1`, `:2` and so on. A list that with_list_size has
/// marked becomes one parameter, `= ANY (:1)` in place of `IN (?, ?, ...)`, unless it stands behind
/// NOT. Those of apps stay as they are.
[[nodiscard]] NativeStatement name_parameters(std::string_view sql);

/// The array that holds them.
[[nodiscard]] std::string array_of(std::span<const Value> values);

/// Whether rows are worth a COPY, which costs one round trip more and is parsed each time.
[[nodiscard]] bool are_worth_a_copy(const NewRows& rows);

/// `COPY ... FROM STDIN` for these columns.
[[nodiscard]] std::string copy_statement(const NewRows& rows, std::span<const std::size_t> columns);

/// Appends a row in the text format of COPY.
void append_copied_row(
    std::string& text,
    const NewRows& rows,
    std::size_t row,
    std::span<const std::size_t> columns
);

/// PostgreSQL as SOCI speaks to it.
class PostgresqlBackend final : public SociBackend {
public:
    [[nodiscard]] const Dialect& dialect() const noexcept override { return kPostgresqlDialect; }

    [[nodiscard]] std::string_view begin_statement() const noexcept override { return "BEGIN"; }

    [[nodiscard]] NativeStatement native_statement(std::string_view sql) const override;
    [[nodiscard]] std::string text_of_list(std::span<const Value> values) const override;

    /// PostgreSQL has no NUL character in texts.
    void require_storable(std::string_view text) const override;

    void run_script(soci::session& session, std::string_view sql) const override;
    [[nodiscard]] bool copy_in(soci::session& session, const NewRows& rows) const override;
    void commit(soci::session& session) const override;
    [[nodiscard]] bool in_transaction(soci::session& session) const noexcept override;
    [[nodiscard]] bool takes_only_rollback(soci::session& session) const noexcept override;

    [[nodiscard]] bool has_native_integers() const noexcept override { return false; }
    [[nodiscard]] std::optional<std::string_view>
    cell(soci::details::statement_backend& statement, std::size_t column) const override;
    [[nodiscard]] bool is_null(soci::details::statement_backend& statement, std::size_t column)
        const override;
    [[nodiscard]] std::optional<std::int64_t>
    native_integer(soci::details::statement_backend&, std::size_t) const override {
        return std::nullopt;
    }
    [[nodiscard]] bool is_bytes(soci::details::statement_backend&, std::size_t) const override {
        return false;
    }
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
