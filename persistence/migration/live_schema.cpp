#include "persistence/migration/live_schema.hpp"

#include "persistence/migration/ddl.hpp"
#include "persistence/sql/dialect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace jobstrand::persistence {
namespace {

std::string in_capitals(std::string_view name) {
    std::string text(name);
    std::ranges::transform(text, text.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return text;
}

LiveColumn column_of(const Row& row) {
    LiveColumn column{.type = std::string(row.text(2)), .is_required = row.boolean(3)};
    // MariaDB has the word NULL where others have nothing.
    if (!row.is_null(4) && in_capitals(row.text(4)) != "NULL") {
        column.default_value = row.text(4);
    }
    column.collation = row.text(5);
    return column;
}

LiveColumn* find_column(LiveSchema& live, const Row& row) {
    const auto table = live.find(in_capitals(row.text(0)));
    if (table == live.end()) {
        return nullptr;
    }
    const auto column = table->second.columns.find(in_capitals(row.text(1)));
    return column == table->second.columns.end() ? nullptr : &column->second;
}

}  // namespace

LiveSchema read_live_schema(Connection& connection) {
    LiveSchema live;
    const auto add_column = [&live](const Row& row) {
        live[in_capitals(row.text(0))].columns.emplace(in_capitals(row.text(1)), column_of(row));
    };
    const auto add_to_index = [&live](const Row& row) {
        const auto found = live.find(in_capitals(row.text(0)));
        if (found == live.end()) {
            return;  // Made since the columns were read: without them it would look like another's.
        }
        LiveTable& table = found->second;
        std::string column = in_capitals(row.text(2));
        if (row.boolean(3)) {
            table.primary_key.push_back(std::move(column));
            return;
        }
        LiveIndex& index = table.indexes[in_capitals(row.text(1))];
        index.columns.push_back(std::move(column));
        index.is_unique = row.boolean(4);
        index.is_partial = row.boolean(5);
    };
    const Catalog& catalog = connection.dialect().tables.catalog;
    connection.query({.sql = catalog.columns, .columns = 6}, {}, add_column);
    connection.query({.sql = catalog.indexes, .columns = 6}, {}, add_to_index);
    if (!catalog.tied_columns.empty()) {
        connection.query({.sql = catalog.tied_columns, .columns = 2}, {}, [&live](const Row& row) {
            if (LiveColumn* const column = find_column(live, row)) {
                column->is_tied = true;
            }
        });
    }
    return live;
}

void TableReport::differs(std::string description, std::vector<std::string> mend) {
    report_.differences.push_back(
        {std::string(table_.name), std::move(description), std::move(mend)}
    );
}

void TableReport::remark(std::string description, std::vector<std::string> mend) {
    report_.remarks.push_back({std::string(table_.name), std::move(description), std::move(mend)});
}

std::vector<std::string> TableReport::alter(const std::vector<std::string>& clauses) const {
    if (clauses.empty() || clauses.front().empty()) {
        return {};
    }
    std::string statement = fmt::format("ALTER TABLE {}", table_.name);
    if (!catalog().changes.first.empty()) {
        statement += fmt::format(" {},", catalog().changes.first);
    }
    return {fmt::format("{}\n    {}", statement, fmt::join(clauses, ",\n    "))};
}

namespace {

using schema::Column;
using schema::Index;

void missing_column(const Column& column, TableReport& report) {
    const Dialect& dialect = report.dialect();
    const bool can_be_added = dialect.tables.adds_computed_columns || column.default_value != "now";
    report.differs(
        fmt::format("the column {}.{} is missing", report.table().name, column.name),
        can_be_added ? std::vector{add_column(report.table(), column, dialect)}
                     : std::vector<std::string>{}
    );
}

void compare_type(const Column& column, const LiveColumn& live, TableReport& report) {
    const std::string what = fmt::format(
        "the column {}.{} has the type {}", report.table().name, column.name, live.type
    );
    switch (report.catalog().type_fit(live.type, column.kind)) {
        case TypeFit::holds:
            return;
        case TypeFit::too_narrow:
            report.differs(
                fmt::format(
                    "{}, which is too narrow: {}",
                    what,
                    report.dialect().tables.types.of(column.kind)
                ),
                report.alter({report.change(report.catalog().changes.set_type, column)})
            );
            return;
        case TypeFit::other:
            report.differs(fmt::format("{}, which cannot hold its values", what));
            return;
    }
}

void compare_null(const Column& column, const LiveColumn& live, TableReport& report) {
    const ColumnChanges& changes = report.catalog().changes;
    const std::string name = fmt::format("{}.{}", report.table().name, column.name);
    if (column.required && !live.is_required) {
        report.differs(
            fmt::format("the column {} may be NULL, and must not be", name),
            report.alter({report.change(changes.set_required, column)})
        );
    }
    // A column with a default always gets a value.
    if (live.is_required && !column.required && column.default_value.empty()) {
        report.differs(
            fmt::format("the column {} is NOT NULL, and some rows have no value for it", name),
            report.alter({report.change(changes.set_optional, column)})
        );
    }
}

std::string shown_default(const LiveColumn& live) {
    if (!live.default_value) {
        return "none";
    }
    return live.default_value->empty() ? "''" : *live.default_value;
}

/// One difference for all columns of the table.
void compare_defaults(const LiveTable& live, TableReport& report) {
    std::vector<std::string> wrong;
    std::vector<std::string> clauses;
    for (const Column& column : report.table().columns) {
        const auto found = live.columns.find(column.name);
        if (found == live.columns.end() ||
            has_expected_default(column, found->second, report.dialect())) {
            continue;
        }
        const std::string_view wanted = column_default(column, report.dialect());
        wrong.push_back(fmt::format(
            "{} has {} and not {}",
            column.name,
            shown_default(found->second),
            wanted.empty() ? "none" : wanted
        ));
        const ColumnChanges& changes = report.catalog().changes;
        clauses.push_back(
            report.change(wanted.empty() ? changes.drop_default : changes.set_default, column)
        );
    }
    if (!wrong.empty()) {
        report.differs(
            fmt::format(
                "the defaults of {} differ: {}", report.table().name, fmt::join(wrong, ", ")
            ),
            report.alter(clauses)
        );
    }
}

/// Whose columns an engine has made, so that it is for its people to say what they hold.
bool is_of_engine(const TableReport& report) {
    return report.dialect().has_engine && report.table().name.starts_with("ACT_");
}

/// One difference for all columns with the same collation. A column with a foreign key has the
/// texts of the other table, and needs no more.
void compare_texts(const LiveTable& live, TableReport& report) {
    struct Unfit {
        std::vector<std::string_view> names;
        std::vector<std::string> clauses;
    };
    std::map<std::pair<TextFit, std::string>, Unfit> unfit;
    const Catalog& catalog = report.catalog();
    for (const Column& column : report.table().columns) {
        const auto found = live.columns.find(column.name);
        if (found == live.columns.end() || found->second.is_tied ||
            longest_text(column.kind) == 0) {
            continue;
        }
        const std::string& collation = found->second.collation;
        const TextFit fit = catalog.text_fit(collation, column.kind);
        if (fit != TextFit::holds) {
            Unfit& columns = unfit[{fit, collation}];
            columns.names.push_back(column.name);
            columns.clauses.push_back(report.change(catalog.changes.set_type, column));
        }
    }
    for (const auto& [how, columns] : unfit) {
        std::string description = fmt::format(
            "{} of {} {}: their collation is {}",
            fmt::join(columns.names, ", "),
            report.table().name,
            how.first == TextFit::lacks_characters
                ? std::string_view("cannot hold every character, such as emoji")
                : std::string_view("do not compare byte by byte"),
            how.second
        );
        if (is_of_engine(report)) {
            report.remark(std::move(description), report.alter(columns.clauses));
        } else {
            report.differs(std::move(description), report.alter(columns.clauses));
        }
    }
}

void find_columns_of_others(const LiveTable& live, TableReport& report) {
    const auto& ours = report.table().columns;
    for (const auto& [name, column] : live.columns) {
        const bool is_ours = std::ranges::find(ours, name, &Column::name) != ours.end();
        if (!is_ours && column.is_required && !column.default_value) {
            report.differs(fmt::format(
                "the column {}.{}, which is not Jobstrand's, is NOT NULL without a default: no row "
                "can be inserted",
                report.table().name,
                name
            ));
        }
    }
}

}  // namespace

bool has_expected_default(const Column& column, const LiveColumn& live, const Dialect& dialect) {
    const std::string_view wanted = column_default(column, dialect);
    const auto plain = dialect.tables.catalog.plain_default;
    return live.default_value.has_value() == !wanted.empty() &&
           plain(live.default_value.value_or("")) == plain(wanted);
}

void check_columns(const LiveTable& live, TableReport& report) {
    for (const Column& column : report.table().columns) {
        const auto found = live.columns.find(column.name);
        if (found == live.columns.end()) {
            missing_column(column, report);
        } else {
            compare_type(column, found->second, report);
            compare_null(column, found->second, report);
        }
    }
    compare_defaults(live, report);
    compare_texts(live, report);
    find_columns_of_others(live, report);
}

namespace {

/// Column names as they stand between the parentheses of a key or an index.
std::vector<std::string> names_in(std::string_view list) {
    std::vector<std::string> names;
    for (std::size_t start = 0; start < list.size();) {
        const std::size_t end = std::min(list.find(", ", start), list.size());
        names.emplace_back(list.substr(start, end - start));
        start = end + 2;
    }
    return names;
}

void compare_key(const LiveTable& live, TableReport& report) {
    const schema::Table& table = report.table();
    if (live.primary_key == names_in(table.primary_key)) {
        return;
    }
    if (!live.primary_key.empty()) {
        report.differs(fmt::format(
            "the primary key of {} is ({}), and not ({})",
            table.name,
            fmt::join(live.primary_key, ", "),
            table.primary_key
        ));
        return;
    }
    std::vector<std::string> mend;
    if (const std::string_view clause = report.catalog().add_key; !clause.empty()) {
        const std::string key = fmt::format(fmt::runtime(clause), table.primary_key);
        mend.push_back(fmt::format("ALTER TABLE {} {}", table.name, key));
    }
    report.differs(
        fmt::format("the primary key of {} is missing: ({})", table.name, table.primary_key),
        std::move(mend)
    );
}

/// Empty: the index is as it must be.
std::string difference_of(const Index& index, const LiveIndex& live, const Dialect& dialect) {
    const bool is_partial = dialect.tables.has_partial_indexes && !index.partial_condition.empty();
    if (live.columns != names_in(index.columns)) {
        return fmt::format(
            "is on ({}), and not on ({})", fmt::join(live.columns, ", "), index.columns
        );
    }
    if (live.is_unique) {
        return "is unique, and must not be";
    }
    if (live.is_partial != is_partial) {
        return live.is_partial ? "leaves out rows" : "has rows that it must leave out";
    }
    return {};
}

void compare_index(const Index& index, const LiveIndex& live, TableReport& report) {
    const std::string_view table = report.table().name;
    const Dialect& dialect = report.dialect();
    if (const std::string wrong = difference_of(index, live, dialect); !wrong.empty()) {
        report.differs(
            fmt::format("the index {} of {} {}", index.name, table, wrong),
            {drop_index({.name = {}, .table = table, .index = index}, dialect),
             create_index(table, index, dialect)}
        );
    }
}

bool is_ours(std::string_view name, const schema::Table& table) {
    return std::ranges::find(table.indexes, name, &Index::name) != table.indexes.end() ||
           std::ranges::any_of(
               schema::optional_indexes(),
               [name](const schema::OptionalIndex& optional) { return optional.index.name == name; }
           );
}

/// As all those of its indexes and foreign keys that it names itself.
bool is_index_of_engine(std::string_view name, const Dialect& dialect) {
    return dialect.has_engine && name.starts_with("ACT_");
}

void remark_indexes_of_others(const LiveTable& live, TableReport& report) {
    for (const auto& [name, index] : live.indexes) {
        if (!is_ours(name, report.table()) && !is_index_of_engine(name, report.dialect())) {
            report.remark(fmt::format(
                "the {}index {} of {} ({}) is not Jobstrand's: every insert and delete writes it",
                index.is_unique ? "unique " : "",
                name,
                report.table().name,
                fmt::join(index.columns, ", ")
            ));
        }
    }
}

}  // namespace

void missing_index(const Index& index, TableReport& report) {
    report.differs(
        fmt::format("the index {} of {} is missing", index.name, report.table().name),
        {create_index(report.table().name, index, report.dialect())}
    );
}

void check_indexes(const LiveTable& live, TableReport& report) {
    compare_key(live, report);
    for (const Index& index : report.table().indexes) {
        const auto found = live.indexes.find(index.name);
        if (found == live.indexes.end()) {
            missing_index(index, report);
        } else {
            compare_index(index, found->second, report);
        }
    }
    for (const schema::OptionalIndex& optional : schema::optional_indexes()) {
        const auto found = live.indexes.find(optional.index.name);
        if (optional.table == report.table().name && found != live.indexes.end()) {
            compare_index(optional.index, found->second, report);
        }
    }
    remark_indexes_of_others(live, report);
}

}  // namespace jobstrand::persistence
