#include "persistence/migration/table_check.hpp"

#include "persistence/migration/ddl.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace jobstrand::persistence {

namespace {

using schema::Column;
using schema::Index;

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

std::string comma_separated(const std::vector<std::string>& names) {
    return fmt::format("{}", fmt::join(names, ", "));
}

std::string column_names(const std::vector<const Column*>& columns) {
    std::vector<std::string> names;
    std::ranges::transform(columns, std::back_inserter(names), [](const Column* column) {
        return std::string(column->name);
    });
    return comma_separated(names);
}

bool is_partial(const Index& index, const Dialect& dialect) {
    return dialect.tables.has_partial_indexes && !index.partial_condition.empty();
}

}  // namespace

TableCheck::TableCheck(const schema::Table& table, const Dialect& dialect, SchemaReport& report)
    : table_(table), dialect_(dialect), catalog_(dialect.tables.catalog), report_(report) {}

void TableCheck::missing() {
    differs(fmt::format("the table {} is missing", table_.name), {create_table(table_, dialect_)});
    for (const Index& index : table_.indexes) {
        missing_index(index);
    }
}

void TableCheck::compare(const LiveTable& live) {
    compare_columns(live);
    compare_key(live);
    compare_indexes(live);
    find_strangers(live);
}

void TableCheck::compare_columns(const LiveTable& live) {
    for (const Column& column : table_.columns) {
        const auto found = live.columns.find(column.name);
        if (found == live.columns.end()) {
            missing_column(column);
        } else {
            compare_column(column, found->second);
        }
    }
    report_defaults();
    report_texts();
}

void TableCheck::compare_column(const Column& column, const LiveColumn& live) {
    compare_type(column, live);
    compare_required(column, live);
    compare_default(column, live);
    compare_text(column, live);
}

void TableCheck::compare_type(const Column& column, const LiveColumn& live) {
    const std::string what =
        fmt::format("the column {}.{} has the type {}", table_.name, column.name, live.type);
    switch (catalog_.type_fit(live.type, column.kind)) {
        case TypeFit::holds:
            return;
        case TypeFit::too_narrow:
            differs(
                fmt::format(
                    "{}, which is too narrow: {}", what, dialect_.tables.types.of(column.kind)
                ),
                alter({change(catalog_.changes.set_type, column)})
            );
            return;
        case TypeFit::other:
            differs(fmt::format("{}, which cannot hold its values", what));
            return;
    }
}

void TableCheck::compare_required(const Column& column, const LiveColumn& live) {
    if (column.required && !live.is_required) {
        differs(
            fmt::format("the column {}.{} may be NULL, and must not be", table_.name, column.name),
            alter({change(catalog_.changes.set_required, column)})
        );
    }
    // A column with a default always gets a value.
    if (live.is_required && !column.required && column.default_value.empty()) {
        differs(
            fmt::format(
                "the column {}.{} is NOT NULL, and some rows have no value for it",
                table_.name,
                column.name
            ),
            alter({change(catalog_.changes.set_optional, column)})
        );
    }
}

void TableCheck::compare_default(const Column& column, const LiveColumn& live) {
    const std::string_view wanted = column_default(column, dialect_);
    const std::string expected = catalog_.plain_default(wanted);
    const std::string actual = catalog_.plain_default(live.default_value.value_or(""));
    if (live.default_value.has_value() == !wanted.empty() && actual == expected) {
        return;
    }
    wrong_defaults_.push_back(fmt::format(
        "{} has {} and not {}",
        column.name,
        live.default_value ? live.default_value->empty() ? "''" : *live.default_value : "none",
        wanted.empty() ? "none" : wanted
    ));
    const ColumnChanges& changes = catalog_.changes;
    default_clauses_.push_back(
        change(wanted.empty() ? changes.drop_default : changes.set_default, column)
    );
}

void TableCheck::report_defaults() {
    if (!wrong_defaults_.empty()) {
        differs(
            fmt::format(
                "the defaults of {} differ: {}", table_.name, comma_separated(wrong_defaults_)
            ),
            alter(default_clauses_)
        );
    }
}

void TableCheck::compare_text(const Column& column, const LiveColumn& live) {
    const bool is_text = longest_text(column.kind) > 0;
    const TextFit fit = is_text ? catalog_.text_fit(live.collation, column.kind) : TextFit::holds;
    if (fit != TextFit::holds) {
        unfit_texts_[{fit, live.collation}].push_back(&column);
    }
}

void TableCheck::report_texts() {
    for (const auto& [unfit, columns] : unfit_texts_) {
        const auto& [fit, collation] = unfit;
        std::vector<std::string> clauses;
        for (const Column* const column : columns) {
            clauses.push_back(change(catalog_.changes.set_type, *column));
        }
        const std::string_view what = fit == TextFit::lacks_characters
                                          ? "cannot hold every character, such as emoji"
                                          : "do not compare byte by byte";
        differs(
            fmt::format(
                "{} of {} {}: their collation is {}",
                column_names(columns),
                table_.name,
                what,
                collation
            ),
            alter(clauses)
        );
    }
}

void TableCheck::compare_key(const LiveTable& live) {
    if (live.primary_key == names_in(table_.primary_key)) {
        return;
    }
    if (!live.primary_key.empty()) {
        differs(fmt::format(
            "the primary key of {} is ({}), and not ({})",
            table_.name,
            comma_separated(live.primary_key),
            table_.primary_key
        ));
        return;
    }
    const std::string clause =
        catalog_.add_key.empty() ? ""
                                 : fmt::format(fmt::runtime(catalog_.add_key), table_.primary_key);
    differs(
        fmt::format("the primary key of {} is missing: ({})", table_.name, table_.primary_key),
        clause.empty()
            ? std::vector<std::string>{}
            : std::vector<std::string>{fmt::format("ALTER TABLE {} {}", table_.name, clause)}
    );
}

void TableCheck::compare_indexes(const LiveTable& live) {
    for (const Index& index : table_.indexes) {
        const auto found = live.indexes.find(index.name);
        if (found == live.indexes.end()) {
            missing_index(index);
        } else {
            compare_index(index, found->second);
        }
    }
    for (const schema::OptionalIndex& optional : schema::optional_indexes()) {
        const auto found = live.indexes.find(optional.index.name);
        if (optional.table == table_.name && found != live.indexes.end()) {
            compare_index(optional.index, found->second);
        }
    }
}

void TableCheck::compare_index(const Index& index, const LiveIndex& live) {
    std::string wrong;
    if (live.columns != names_in(index.columns)) {
        wrong = fmt::format(
            "is on ({}), and not on ({})", comma_separated(live.columns), index.columns
        );
    } else if (live.is_unique) {
        wrong = "is unique, and must not be";
    } else if (live.is_partial != is_partial(index, dialect_)) {
        wrong = live.is_partial ? "leaves out rows" : "has rows that it must leave out";
    } else {
        return;
    }
    differs(
        fmt::format("the index {} of {} {}", index.name, table_.name, wrong),
        {drop_index({.name = {}, .table = table_.name, .index = index}, dialect_),
         create_index(table_.name, index, dialect_)}
    );
}

void TableCheck::find_strangers(const LiveTable& live) {
    for (const auto& [name, column] : live.columns) {
        const bool is_known =
            std::ranges::find(table_.columns, name, &Column::name) != table_.columns.end();
        if (!is_known && column.is_required && !column.default_value) {
            differs(fmt::format(
                "the column {}.{}, which is not Jobstrand's, is NOT NULL without a default: no row "
                "can be inserted",
                table_.name,
                name
            ));
        }
    }
    for (const auto& [name, index] : live.indexes) {
        if (!is_ours(name)) {
            remark(fmt::format(
                "the {}index {} of {} ({}) is not Jobstrand's: every insert and delete writes it",
                index.is_unique ? "unique " : "",
                name,
                table_.name,
                comma_separated(index.columns)
            ));
        }
    }
}

bool TableCheck::is_ours(std::string_view name) const {
    return std::ranges::find(table_.indexes, name, &Index::name) != table_.indexes.end() ||
           std::ranges::any_of(
               schema::optional_indexes(),
               [name](const schema::OptionalIndex& optional) { return optional.index.name == name; }
           );
}

void TableCheck::missing_column(const Column& column) {
    const bool can_be_added =
        dialect_.tables.adds_computed_columns || column.default_value != "now";
    differs(
        fmt::format("the column {}.{} is missing", table_.name, column.name),
        can_be_added ? std::vector{add_column(table_, column, dialect_)}
                     : std::vector<std::string>{}
    );
}

void TableCheck::missing_index(const Index& index) {
    differs(
        fmt::format("the index {} of {} is missing", index.name, table_.name),
        {create_index(table_.name, index, dialect_)}
    );
}

void TableCheck::differs(std::string description, std::vector<std::string> mend) {
    report_.differences.push_back(
        {std::string(table_.name), std::move(description), std::move(mend)}
    );
}

void TableCheck::remark(std::string description) {
    report_.remarks.push_back({std::string(table_.name), std::move(description)});
}

std::string TableCheck::change(std::string_view clause, const Column& column) const {
    return fmt::format(
        fmt::runtime(clause),
        column.name,
        dialect_.tables.types.of(column.kind),
        column_definition(column, dialect_),
        column_default(column, dialect_)
    );
}

std::vector<std::string> TableCheck::alter(const std::vector<std::string>& clauses) const {
    if (clauses.empty() || clauses.front().empty()) {
        return {};
    }
    std::string statement = fmt::format("ALTER TABLE {}", table_.name);
    if (!catalog_.changes.first.empty()) {
        statement += fmt::format(" {},", catalog_.changes.first);
    }
    return {fmt::format("{}\n    {}", statement, fmt::join(clauses, ",\n    "))};
}

}  // namespace jobstrand::persistence
