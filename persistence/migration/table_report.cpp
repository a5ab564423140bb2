#include "persistence/migration/table_report.hpp"

#include "persistence/migration/ddl.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace jobstrand::persistence {

void TableReport::differs(std::string description, std::vector<std::string> mend) {
    report_.differences.push_back(
        {std::string(table_.name), std::move(description), std::move(mend)}
    );
}

void TableReport::remark(std::string description, std::vector<std::string> mend) {
    report_.remarks.push_back({std::string(table_.name), std::move(description), std::move(mend)});
}

std::string TableReport::change(std::string_view clause, const schema::Column& column) const {
    return fmt::format(
        fmt::runtime(clause),
        column.name,
        dialect_.tables.types.of(column.kind),
        column_definition(column, dialect_),
        column_default(column, dialect_)
    );
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

}  // namespace jobstrand::persistence
