#pragma once

#include "tools/jobstrand/output/record.hpp"

#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// How data is written: -o.
enum class OutputFormat {
    table,
    json,   ///< One JSON document: a list, or an object for a single record.
    jsonl,  ///< One JSON object per line.
    /// RFC 4180, with a header line. A text that a spreadsheet would run as a formula has a `'` in
    /// front; control characters but line breaks and tabs become `\xNN`.
    csv,
    name,  ///< Only what identifies a record, one per line.
};

[[nodiscard]] std::optional<OutputFormat> output_format_named(std::string_view name);

/// A column of a table: the field, and how wide it may grow. Longer values are cut; the other
/// formats have them whole.
struct TableColumn {
    std::string_view field;
    std::string_view heading;
    std::size_t width_max = 40;
    bool is_optional = false;  ///< Left out when no row has a value.
};

/// Writes a list of records, one by one; tables when the list is complete, because the widths
/// depend on all rows.
class RecordWriter final {
public:
    /// `columns` must outlive it.
    RecordWriter(std::ostream& out, OutputFormat format, const std::vector<TableColumn>& columns);

    void add(const Record& record);

    /// Must be called once, after the last record.
    void finish();

private:
    void add_row(const Record& record);
    void write_table();
    [[nodiscard]] std::vector<std::size_t> widths() const;

    std::ostream& out_;
    const OutputFormat format_;
    const std::vector<TableColumn>& columns_;
    std::vector<std::vector<std::string>> rows_;
    bool is_first_ = true;
};

/// Writes a single record: as a table, one line per field that has a value.
void write_record(std::ostream& out, OutputFormat format, const Record& record);

}  // namespace jobstrand::cli
