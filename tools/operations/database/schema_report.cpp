#include "tools/operations/database/schema_report.hpp"

#include "tools/output/record_writer.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <sstream>

namespace jobstrand::cli {

namespace {

using persistence::SchemaDifference;
using persistence::SchemaRemark;
using persistence::SchemaReport;

void write_statement(std::ostream& out, const std::string& statement) {
    std::istringstream lines(statement + ';');
    for (std::string line; std::getline(lines, line);) {
        out << "  " << printable(line) << '\n';
    }
}

void write_statements(std::ostream& out, const std::vector<std::string>& statements) {
    for (const std::string& statement : statements) {
        write_statement(out, statement);
    }
}

void write_for_people(std::ostream& out, const SchemaReport& report) {
    for (const SchemaDifference& difference : report.differences) {
        out << printable(difference.description) << '\n';
        write_statements(out, difference.mend);
    }
    if (report.differences.empty()) {
        out << "the tables are as this program expects them\n";
    }
    for (const SchemaRemark& remark : report.remarks) {
        out << "remark: " << printable(remark.description) << '\n';
        write_statements(out, remark.mend);
    }
}

RecordField mend_field(const std::vector<std::string>& statements) {
    std::vector<std::string> json;
    std::ranges::transform(statements, std::back_inserter(json), [](const std::string& statement) {
        return json_string(statement);
    });
    return {
        .name = "mend",
        .json = fmt::format("[{}]", fmt::join(json, ",")),
        .text = fmt::format("{}", fmt::join(statements, ";\n"))};
}

Record record_of(
    std::string_view table,
    std::string_view description,
    bool is_remark,
    const std::vector<std::string>& mend
) {
    return {
        text_field("table", table),
        text_field("description", description),
        flag_field("remark", is_remark),
        mend_field(mend),
    };
}

}  // namespace

void write_schema_report(Session& session, const SchemaReport& report) {
    std::ostream& out = session.streams().out;
    if (session.format() == OutputFormat::table) {
        write_for_people(out, report);
        return;
    }
    const std::vector<TableColumn> no_table;
    RecordWriter writer(out, session.format(), no_table);
    for (const SchemaDifference& difference : report.differences) {
        writer.add(record_of(difference.table, difference.description, false, difference.mend));
    }
    for (const SchemaRemark& remark : report.remarks) {
        writer.add(record_of(remark.table, remark.description, true, remark.mend));
    }
    writer.finish();
}

}  // namespace jobstrand::cli
