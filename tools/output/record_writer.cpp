#include "tools/output/record_writer.hpp"

#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <sstream>
#include <system_error>
#include <utility>

namespace jobstrand::cli {

namespace {

constexpr std::array<std::pair<std::string_view, OutputFormat>, 5> kFormats{{
    {"table", OutputFormat::table},
    {"json", OutputFormat::json},
    {"jsonl", OutputFormat::jsonl},
    {"csv", OutputFormat::csv},
    {"name", OutputFormat::name},
}};

[[nodiscard]] bool is_number(std::string_view text) {
    double number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

/// Spreadsheets take what begins like this for a formula and run it.
[[nodiscard]] bool looks_like_a_formula(std::string_view text) {
    return !text.empty() &&
           std::string_view("=+-@\t\r").find(text.front()) != std::string_view::npos &&
           !is_number(text);
}

/// Line breaks and tabs belong to the value; other control characters only harm a terminal.
[[nodiscard]] std::string without_controls(std::string_view text) {
    std::string out;
    for (std::size_t start = 0; start <= text.size();) {
        const std::size_t end = std::min(text.find_first_of("\t\r\n", start), text.size());
        out += printable(text.substr(start, end - start));
        out += text.substr(end, 1);
        start = end + 1;
    }
    return out;
}

[[nodiscard]] std::string csv_cell(std::string_view value) {
    const std::string text = (looks_like_a_formula(value) ? "'" : "") + without_controls(value);
    if (text.find_first_of(",\"\r\n") == std::string::npos) {
        return text;
    }
    std::string out = "\"";
    for (const char c : text) {
        out += c;
        if (c == '"') {
            out += '"';
        }
    }
    return out + '"';
}

void write_csv_line(
    std::ostream& out,
    const Record& record,
    std::string (*cell)(const RecordField&)
) {
    std::string line;
    for (const RecordField& field : record) {
        line += (&field == &record.front() ? "" : ",") + cell(field);
    }
    out << line << "\r\n";
}

void write_csv_header(std::ostream& out, const Record& record) {
    write_csv_line(out, record, [](const RecordField& field) { return std::string(field.name); });
}

void write_csv_row(std::ostream& out, const Record& record) {
    write_csv_line(out, record, [](const RecordField& field) { return csv_cell(field.text); });
}

[[nodiscard]] Tone tone_of(const RecordField& field) {
    return field.name == "exceptionMessage" ? Tone::bad : tone_of_word(field.text);
}

/// One line per value; texts of several lines (stack traces, output) come last, line by line.
void write_sheet(std::ostream& out, const Record& record, const OutputStyle& style) {
    std::size_t width = 0;
    for (const RecordField& field : record) {
        width = std::max(width, field.name.size());
    }
    for (const RecordField& field : record) {
        if (!field.text.empty() && field.text.find('\n') == std::string::npos) {
            out << in_tone(Tone::heading, field.name, style)
                << std::string(width - field.name.size() + 2, ' ')
                << in_tone(tone_of(field), printable(field.text), style) << '\n';
        }
    }
    for (const RecordField& field : record) {
        if (field.text.find('\n') == std::string::npos) {
            continue;
        }
        out << '\n' << in_tone(Tone::heading, field.name, style) << ":\n";
        std::istringstream lines(field.text);
        for (std::string line; std::getline(lines, line);) {
            out << "  " << printable(line) << '\n';
        }
    }
}

}  // namespace

std::optional<OutputFormat> output_format_named(std::string_view name) {
    for (const auto& [known, format] : kFormats) {
        if (known == name) {
            return format;
        }
    }
    return std::nullopt;
}

RecordWriter::RecordWriter(
    std::ostream& out,
    OutputFormat format,
    const std::vector<TableColumn>& columns,
    OutputStyle style
)
    : out_(out), format_(format), style_(style), table_(columns) {}

void RecordWriter::add(const Record& record) {
    switch (format_) {
        case OutputFormat::table:
            table_.add(record, style_);
            break;
        case OutputFormat::json:
            out_ << (is_first_ ? "[\n" : ",\n") << json_of(record);
            break;
        case OutputFormat::jsonl:
            out_ << json_of(record) << '\n';
            break;
        case OutputFormat::csv:
            if (is_first_) {
                write_csv_header(out_, record);
            }
            write_csv_row(out_, record);
            break;
        case OutputFormat::name:
            out_ << printable(record.front().text) << '\n';
            break;
    }
    is_first_ = false;
}

void RecordWriter::finish() {
    if (format_ == OutputFormat::table) {
        table_.write(out_, style_);
    } else if (format_ == OutputFormat::json) {
        out_ << (is_first_ ? "[]\n" : "\n]\n");
    }
}

void write_record(
    std::ostream& out,
    OutputFormat format,
    const Record& record,
    const OutputStyle& style
) {
    switch (format) {
        case OutputFormat::json:
        case OutputFormat::jsonl:
            out << json_of(record) << '\n';
            return;
        case OutputFormat::csv:
            write_csv_header(out, record);
            write_csv_row(out, record);
            return;
        case OutputFormat::name:
            out << printable(record.front().text) << '\n';
            return;
        case OutputFormat::table:
            break;
    }
    write_sheet(out, record, style);
}

}  // namespace jobstrand::cli
