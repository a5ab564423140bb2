#include "persistence/migration/ddl.hpp"
#include "persistence/migration/live_schema.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>

namespace jobstrand::persistence {
namespace {

using schema::Column;
using schema::ColumnKind;
using schema::Table;

/// What can be told apart in every database. Booleans are integers in two of three.
enum class TypeFamily { text, integer, time, bytes };

TypeFamily expected_family(ColumnKind column) {
    switch (column) {
        case ColumnKind::id:
        case ColumnKind::name:
        case ColumnKind::value:
        case ColumnKind::message:
            return TypeFamily::text;
        case ColumnKind::integer:
        case ColumnKind::big_integer:
        case ColumnKind::boolean:
            return TypeFamily::integer;
        case ColumnKind::timestamp:
            return TypeFamily::time;
        case ColumnKind::bytes:
            return TypeFamily::bytes;
    }
    return TypeFamily::text;
}

/// nullopt: a type that this program does not know; nothing is said about it.
std::optional<TypeFamily> live_family(std::string type) {
    struct Word {
        std::string_view part;
        TypeFamily family;
    };
    // The first that occurs decides: `tinytext` is a text, `timestamp` not an `int`.
    static constexpr std::array kWords{
        Word{"char", TypeFamily::text},
        Word{"text", TypeFamily::text},
        Word{"time", TypeFamily::time},
        Word{"date", TypeFamily::time},
        Word{"blob", TypeFamily::bytes},
        Word{"bytea", TypeFamily::bytes},
        Word{"binary", TypeFamily::bytes},
        Word{"bool", TypeFamily::integer},
        Word{"int", TypeFamily::integer},
        Word{"bit", TypeFamily::integer},
    };
    std::ranges::transform(type, type.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    const auto found = std::ranges::find_if(kWords, [&type](const Word& word) {
        return type.find(word.part) != std::string::npos;
    });
    return found == kWords.end() ? std::nullopt : std::optional(found->family);
}

bool holds(TypeFamily live, ColumnKind column, const TableDialect& dialect) {
    const bool is_text_for_time =
        dialect.has_times_as_texts && column == ColumnKind::timestamp && live == TypeFamily::text;
    return live == expected_family(column) || is_text_for_time;
}

/// Compares a table with its live one and collects what differs.
class TableCheck final {
public:
    TableCheck(
        const Table& table,
        const Dialect& dialect,
        std::vector<SchemaDifference>& differences
    )
        : table_(table), dialect_(dialect), differences_(differences) {}

    void missing() {
        differences_.push_back(
            {fmt::format("the table {} is missing", table_.name), create_table(table_, dialect_)}
        );
        for (const schema::Index& index : table_.indexes) {
            missing_index(index);
        }
    }

    void compare(const LiveTable& live) {
        for (const Column& column : table_.columns) {
            compare_column(column, live);
        }
        for (const schema::Index& index : table_.indexes) {
            if (!live.indexes.contains(index.name)) {
                missing_index(index);
            }
        }
    }

private:
    void missing_index(const schema::Index& index) {
        differences_.push_back(
            {fmt::format("the index {} of {} is missing", index.name, table_.name),
             create_index(table_.name, index, dialect_)}
        );
    }

    void compare_column(const Column& column, const LiveTable& live) {
        const auto found = live.columns.find(column.name);
        if (found == live.columns.end()) {
            differences_.push_back(
                {fmt::format("the column {}.{} is missing", table_.name, column.name),
                 mend_missing(column)}
            );
            return;
        }
        const auto family = live_family(found->second);
        if (family && !holds(*family, column.kind, dialect_.tables)) {
            differences_.push_back(
                {fmt::format(
                     "the column {}.{} has the type {}, which cannot hold its values",
                     table_.name,
                     column.name,
                     found->second
                 ),
                 ""}
            );
        }
    }

    [[nodiscard]] std::string mend_missing(const Column& column) const {
        const bool can_be_added =
            dialect_.tables.adds_computed_columns || column.default_value != "now";
        return can_be_added ? add_column(table_, column, dialect_) : "";
    }

    const Table& table_;
    const Dialect& dialect_;
    std::vector<SchemaDifference>& differences_;
};

}  // namespace

std::vector<SchemaDifference> check_schema(Connection& connection) {
    const LiveSchema live = read_live_schema(connection);
    std::vector<SchemaDifference> differences;
    for (const Table& table : schema::tables()) {
        TableCheck check(table, connection.dialect(), differences);
        const auto found = live.find(table.name);
        if (found == live.end()) {
            check.missing();
        } else {
            check.compare(found->second);
        }
    }
    return differences;
}

}  // namespace jobstrand::persistence
