#pragma once

#include "persistence/migration/ddl.hpp"
#include "persistence/migration/schema_check.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/tables.hpp"

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// A column as it is in a database, in the database's own words.
struct LiveColumn {
    std::string type;
    bool is_required = false;  ///< NOT NULL, and it does not fill itself.
    std::optional<std::string> default_value = {};
    std::string collation = {};
    bool is_tied = false;  ///< By a foreign key: its type stays.
};

struct LiveIndex {
    std::vector<std::string> columns;  ///< In their order; `DUEDATE_ DESC` for a descending one.
    bool is_unique = false;
    bool is_partial = false;  ///< Some rows are not in it.
};

/// A table as it is in a database. All names are in capitals, whatever the database makes of them.
struct LiveTable {
    std::map<std::string, LiveColumn, std::less<>> columns;
    std::vector<std::string> primary_key;                   ///< Empty: it has none.
    std::map<std::string, LiveIndex, std::less<>> indexes;  ///< Without that of the key.
};

using LiveSchema = std::map<std::string, LiveTable, std::less<>>;

/// All tables of the connection's database or schema, each with all of its columns: one that
/// somebody makes meanwhile is there as a whole, or not at all. Throws DbError.
[[nodiscard]] LiveSchema read_live_schema(Connection& connection);

/// Takes down what a check finds in one table, and writes the statements that mend it.
class TableReport final {
public:
    /// Everything must outlive it.
    TableReport(const schema::Table& table, const Dialect& dialect, SchemaReport& report)
        : table_(table), dialect_(dialect), report_(report) {}

    [[nodiscard]] const schema::Table& table() const { return table_; }
    [[nodiscard]] const Dialect& dialect() const { return dialect_; }
    [[nodiscard]] const Catalog& catalog() const { return dialect_.tables.catalog; }

    void differs(std::string description, std::vector<std::string> mend = {});
    void remark(std::string description, std::vector<std::string> mend = {});

    /// See column_change.
    [[nodiscard]] std::string change(std::string_view clause, const schema::Column& column) const {
        return column_change(clause, column, dialect_);
    }

    /// One statement of several such clauses, so that the rows are written anew once; none when the
    /// database has no such clause.
    [[nodiscard]] std::vector<std::string> alter(const std::vector<std::string>& clauses) const;

private:
    const schema::Table& table_;
    const Dialect& dialect_;
    SchemaReport& report_;
};

/// Compares the columns of a table with those that this program creates: types, NULL, defaults, how
/// texts are kept and compared; and finds columns of others that keep our rows out.
void check_columns(const LiveTable& live, TableReport& report);

/// Whether a column gets the same value as in a table that this program creates when an INSERT does
/// not name it.
[[nodiscard]] bool
has_expected_default(const schema::Column& column, const LiveColumn& live, const Dialect& dialect);

/// The index of the table that is being reported on is missing.
void missing_index(const schema::Index& index, TableReport& report);

/// Compares key and indexes of a table with those that this program creates; those of others are
/// remarks.
void check_indexes(const LiveTable& live, TableReport& report);

}  // namespace jobstrand::persistence
