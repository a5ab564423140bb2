#include "persistence/migration/schema_check.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/job_place.hpp"
#include "schema/tables.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace jobstrand::persistence {
namespace {

using schema::Column;
using schema::ColumnKind;
using schema::Table;

constexpr std::string_view kFind = R"sql(
    SELECT COUNT(*), MIN(ID_)
    FROM {table}
    WHERE {condition})sql";

constexpr std::string_view kMend =
    "UPDATE {table} SET {column} = {value} WHERE ({condition}){rest}";

/// Ids are shown to people, and may be bytes.
constexpr std::size_t kShownCharacters = 64;

/// One column of one table.
class ColumnRows final {
public:
    ColumnRows(const Table& table, const Column& column, const OddValues& odd)
        : table_(table), column_(column), odd_(odd) {}

    void check(Connection& connection, SchemaReport& report) const {
        const std::string sql = fmt::format(
            kFind, fmt::arg("table", table_.name), fmt::arg("condition", filled(odd_.condition))
        );
        connection.query({.sql = sql, .columns = 2}, {}, [&](const Row& row) {
            if (row.integer(0) > 0) {
                report.differences.push_back(
                    {std::string(table_.name), description(row.integer(0), row.text(1)), {mend()}}
                );
            }
        });
    }

private:
    [[nodiscard]] std::string filled(std::string_view sql) const {
        const std::string_view value =
            column_.default_value.empty() ? "NULL" : column_.default_value;
        return fmt::format(fmt::runtime(sql), column_.name, value);
    }

    [[nodiscard]] std::string description(std::int64_t rows, std::string_view id) const {
        return fmt::format(
            "{} has {} whose {} is {}, such as the job \"{}\"; the service makes dead letters of "
            "those that it cannot read",
            table_.name,
            rows == 1 ? "a row" : fmt::format("{} rows", rows),
            column_.name,
            odd_.what,
            schema::first_characters(id, kShownCharacters)
        );
    }

    [[nodiscard]] std::string mend() const {
        return fmt::format(
            kMend,
            fmt::arg("table", table_.name),
            fmt::arg("column", column_.name),
            fmt::arg("value", filled(odd_.mended)),
            fmt::arg("condition", filled(odd_.condition)),
            fmt::arg("rest", odd_.mendable.empty() ? "" : " AND " + filled(odd_.mendable))
        );
    }

    const Table& table_;
    const Column& column_;
    const OddValues& odd_;
};

bool can_have(const Column& column, const Table& table, const OddValues& odd) {
    const bool is_key = column.name == table.primary_key;
    return column.kind == odd.kind && (is_key || column.kind != ColumnKind::id);
}

}  // namespace

void check_rows(Connection& connection, SchemaReport& report) {
    for (const Table& table : schema::tables()) {
        if (!schema::holds_jobs(table.name)) {
            continue;
        }
        for (const Column& column : table.columns) {
            for (const OddValues& odd : connection.dialect().tables.odd_values) {
                if (can_have(column, table, odd)) {
                    ColumnRows(table, column, odd).check(connection, report);
                }
            }
        }
    }
}

}  // namespace jobstrand::persistence
