#include "persistence/migration/check_indexes.hpp"

#include "persistence/migration/ddl.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace jobstrand::persistence {

namespace {

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
