#pragma once

#include "tools/output/output_style.hpp"
#include "tools/output/record.hpp"
#include "tools/output/table.hpp"

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

/// Writes a list of records, one by one; tables when the list is complete, because the widths
/// depend on all rows.
class RecordWriter final {
public:
    /// `columns` must outlive it.
    RecordWriter(
        std::ostream& out,
        OutputFormat format,
        const std::vector<TableColumn>& columns,
        OutputStyle style = {}
    );

    void add(const Record& record);

    /// Must be called once, after the last record.
    void finish();

private:
    std::ostream& out_;
    const OutputFormat format_;
    const OutputStyle style_;
    Table table_;
    bool is_first_ = true;
};

/// Writes a single record: as a table, one line per field that has a value. Of `style` only the
/// colour counts.
void write_record(
    std::ostream& out,
    OutputFormat format,
    const Record& record,
    const OutputStyle& style = {}
);

}  // namespace jobstrand::cli
