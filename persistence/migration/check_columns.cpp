#include "persistence/migration/check_columns.hpp"

#include "persistence/migration/ddl.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Column;

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

}  // namespace jobstrand::persistence
