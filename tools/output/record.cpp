#include "tools/output/record.hpp"

#include "schema/text/time_text.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace jobstrand::cli {

RecordField text_field(std::string_view name, std::string_view text) {
    return {.name = name, .json = json_string(text), .text = std::string(text)};
}

RecordField text_or_null_field(std::string_view name, std::string_view text) {
    return text.empty() ? RecordField{.name = name, .json = "null", .text = {}}
                        : text_field(name, text);
}

RecordField number_field(std::string_view name, std::int64_t number) {
    const std::string text = std::to_string(number);
    return {.name = name, .json = text, .text = text, .is_number = true};
}

RecordField number_field(std::string_view name, const std::optional<std::int64_t>& number) {
    return number ? number_field(name, *number) : text_or_null_field(name, {});
}

RecordField decimal_field(std::string_view name, double number) {
    const std::string text = fmt::format("{}", number);
    return {.name = name, .json = text, .text = text, .is_number = true};
}

RecordField flag_field(std::string_view name, bool flag) {
    const std::string text = flag ? "true" : "false";
    return {.name = name, .json = text, .text = text};
}

RecordField texts_field(std::string_view name, const std::vector<std::string>& texts) {
    std::vector<std::string> items;
    for (const std::string& text : texts) {
        items.push_back(json_string(text));
    }
    return {
        .name = name,
        .json = fmt::format("[{}]", fmt::join(items, ",")),
        .text = fmt::format("{}", fmt::join(texts, " ")),
    };
}

std::string json_of(const Record& record) {
    std::string out = "{";
    for (const RecordField& field : record) {
        if (out.size() > 1) {
            out += ',';
        }
        out += '"';
        out += field.name;
        out += "\":";
        out += field.json;
    }
    return out + '}';
}

RecordField record_field(std::string_view name, const Record& record) {
    const std::string json = json_of(record);
    return {.name = name, .json = json, .text = json};
}

RecordField array_field(std::string_view name, const std::vector<std::string>& values) {
    const std::string json = fmt::format("[{}]", fmt::join(values, ","));
    return {.name = name, .json = json, .text = json};
}

RecordField
records_field(std::string_view name, const std::vector<Record>& records, std::string text) {
    std::vector<std::string> objects;
    for (const Record& record : records) {
        objects.push_back(json_of(record));
    }
    RecordField field = array_field(name, objects);
    field.text = std::move(text);
    return field;
}

RecordField time_field(
    std::string_view name,
    const std::optional<schema::TimePoint>& time,
    const timers::Zone& zone
) {
    if (!time) {
        return text_or_null_field(name, {});
    }
    if (zone != timers::Zone::utc()) {
        return text_field(name, zone.format(*time));
    }
    RecordField field = text_field(name, schema::format_instant(*time));
    field.time = time;
    return field;
}

}  // namespace jobstrand::cli
