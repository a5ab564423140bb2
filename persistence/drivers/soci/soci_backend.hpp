#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/statement_text.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace soci {
class session;
class soci_error;
namespace details {
class statement_backend;
}
}  // namespace soci

namespace jobstrand::persistence {

/// A statement as SOCI and a backend want it.
struct NativeStatement {
    std::string sql;
    /// For each of its parameters, how many of the values it stands for: more than one for a list.
    std::vector<std::size_t> sizes;
};

/// What the backends of SOCI do differently, and what SOCI has no call for.
///
/// Thread safety: one thread at a time for each session.
class SociBackend {
public:
    virtual ~SociBackend() = default;

    [[nodiscard]] virtual const Dialect& dialect() const noexcept = 0;

    /// The statement that begins a transaction which will write.
    [[nodiscard]] virtual std::string_view begin_statement() const noexcept = 0;

    /// Takes a statement with `?` placeholders.
    [[nodiscard]] virtual NativeStatement native_statement(std::string_view sql) const {
        return {
            .sql = std::string(sql),
            .sizes = std::vector<std::size_t>(count_placeholders(sql), 1),
        };
    }

    /// The text of a parameter that stands for these values. Only asked where native_statement()
    /// has made one.
    [[nodiscard]] virtual std::string text_of_list(std::span<const Value> /*values*/) const {
        return {};
    }

    /// Throws DbError too_long when the database has no place for this text in any column.
    virtual void require_storable(std::string_view text) const = 0;

    /// Runs any number of statements without preparing them. Throws DbError.
    virtual void run_script(soci::session& session, std::string_view sql) const = 0;

    /// See Connection.
    [[nodiscard]] virtual bool copy_in(soci::session& /*session*/, const NewRows& /*rows*/) const {
        return false;
    }

    /// Throws DbError; in_doubt when the answer was lost.
    virtual void commit(soci::session& session) const = 0;

    [[nodiscard]] virtual bool in_transaction(soci::session& session) const noexcept = 0;

    /// A statement has failed, and the database refuses everything until the rollback: closing a
    /// prepared statement as well.
    [[nodiscard]] virtual bool takes_only_rollback(soci::session& session) const noexcept = 0;

    /// Whether results hold integers as such, and not as texts. Where they do, SOCI fetches the
    /// first column, which it does in vain, as a number, whatever stands there: a text is copied,
    /// and in SQLite no longer known for bytes.
    [[nodiscard]] virtual bool has_native_integers() const noexcept = 0;

    /// A column of the row that a statement has just fetched; nullopt: NULL. The text lives until
    /// the next row is fetched.
    [[nodiscard]] virtual std::optional<std::string_view>
    cell(soci::details::statement_backend& statement, std::size_t column) const = 0;

    /// Whether it is NULL.
    [[nodiscard]] virtual bool
    is_null(soci::details::statement_backend& statement, std::size_t column) const = 0;

    /// The cell as an integer where one stands there, without the way through its text, which is
    /// most of what reading a row costs; nullopt: it has a text that may be one. Only asked with
    /// has_native_integers().
    [[nodiscard]] virtual std::optional<std::int64_t>
    native_integer(soci::details::statement_backend& statement, std::size_t column) const = 0;

    /// Whether it is bytes, whatever the type of its column.
    [[nodiscard]] virtual bool
    is_bytes(soci::details::statement_backend& statement, std::size_t column) const = 0;

    /// The cell as a number with a fraction, exactly; 0 for NULL.
    [[nodiscard]] virtual double
    real(soci::details::statement_backend& statement, std::size_t column) const = 0;

    /// How many columns the rows of a statement have that was just executed.
    [[nodiscard]] virtual std::size_t columns(soci::details::statement_backend& statement
    ) const = 0;

    /// How bytes are written as the text of a parameter; nullopt: they are bound as they are.
    [[nodiscard]] virtual std::optional<std::string> text_of_bytes(Bytes bytes) const = 0;

    /// The bytes that a cell with this text holds. Writes them into `buffer` where they are not the
    /// text itself.
    [[nodiscard]] virtual Bytes bytes_of(std::string_view cell, std::string& buffer) const = 0;

    /// The error that SOCI has just thrown as one of ours; `attempted` begins its message. A
    /// statement that `was_known` had been prepared earlier.
    [[nodiscard]] virtual DbError error_of(
        soci::session& session,
        const soci::soci_error& error,
        std::string_view attempted,
        bool was_known
    ) const = 0;
};

}  // namespace jobstrand::persistence
