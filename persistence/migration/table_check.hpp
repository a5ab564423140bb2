#pragma once

#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/schema_check.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/tables.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

/// Compares one table with its live one, and adds to a report what differs. What the columns of a
/// table have in common is one difference, so that one statement mends it and the rows are written
/// anew once.
class TableCheck final {
public:
    /// Everything must outlive it.
    TableCheck(const schema::Table& table, const Dialect& dialect, SchemaReport& report);

    /// There is no such table.
    void missing();
    void compare(const LiveTable& live);

private:
    void compare_columns(const LiveTable& live);
    void compare_column(const schema::Column& column, const LiveColumn& live);
    void compare_type(const schema::Column& column, const LiveColumn& live);
    void compare_required(const schema::Column& column, const LiveColumn& live);
    void compare_default(const schema::Column& column, const LiveColumn& live);
    void compare_text(const schema::Column& column, const LiveColumn& live);
    void compare_key(const LiveTable& live);
    void compare_indexes(const LiveTable& live);
    void compare_index(const schema::Index& index, const LiveIndex& live);
    void find_strangers(const LiveTable& live);
    void report_defaults();
    void report_texts();

    void missing_column(const schema::Column& column);
    void missing_index(const schema::Index& index);
    [[nodiscard]] bool is_ours(std::string_view index) const;

    void differs(std::string description, std::vector<std::string> mend = {});
    void remark(std::string description);

    /// A clause for one column; empty where the database has none.
    [[nodiscard]] std::string change(std::string_view clause, const schema::Column& column) const;
    /// One statement of several clauses; none when there is no clause.
    [[nodiscard]] std::vector<std::string> alter(const std::vector<std::string>& clauses) const;

    const schema::Table& table_;
    const Dialect& dialect_;
    const Catalog& catalog_;
    SchemaReport& report_;
    std::vector<std::string> wrong_defaults_;
    std::vector<std::string> default_clauses_;
    std::map<std::pair<TextFit, std::string>, std::vector<const schema::Column*>> unfit_texts_;
};

}  // namespace jobstrand::persistence
