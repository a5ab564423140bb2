#pragma once

#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/schema_check.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/tables.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

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

    /// A clause of catalog().changes for one column; empty where the database has none.
    [[nodiscard]] std::string change(std::string_view clause, const schema::Column& column) const;

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
