#include "persistence/sql/dialect.hpp"

#include "persistence/sql/table_dialect.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace jobstrand::persistence {

std::string
delete_where(const Dialect& dialect, std::string_view table, std::string_view any_column) {
    return fmt::format(fmt::runtime(dialect.delete_where), table, any_column);
}

std::string delete_from(
    const Dialect& dialect,
    std::string_view table,
    std::string_view sql,
    std::string_view any_column
) {
    const std::string where = delete_where(dialect, table, any_column);
    return fmt::format(fmt::runtime(sql), fmt::arg("delete_where", where));
}

std::string on_existing(const Dialect& dialect, std::string_view key) {
    return fmt::format(fmt::runtime(dialect.on_existing), key);
}

std::string by_index(const Dialect& dialect, std::string_view index) {
    return fmt::format(fmt::runtime(dialect.by_index), index);
}

namespace {

[[nodiscard]] bool is_place_in_list(std::string_view member) {
    return std::ranges::all_of(member, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string json_path_of(std::span<const std::string> members) {
    std::string path = "$";
    for (const std::string& member : members) {
        path +=
            is_place_in_list(member) ? fmt::format("[{}]", member) : fmt::format(".\"{}\"", member);
    }
    return path;
}

namespace {

using schema::ColumnKind;
using schema::in_small_letters;

constexpr std::size_t kMilliseconds = 3;

/// Of columns that hold what is short by nature (ACT_GE_PROPERTY.VALUE_).
constexpr std::size_t kValueLength = 300;

}  // namespace

TypeText read_type(std::string_view type) {
    const std::size_t open = type.find('(');
    const std::size_t close = type.find(')', open);
    if (open == std::string_view::npos || close == std::string_view::npos) {
        return {.words = in_small_letters(type), .length = std::nullopt};
    }
    TypeText text{.words = in_small_letters(type.substr(0, open)), .length = std::nullopt};
    text.words += in_small_letters(type.substr(close + 1));
    std::size_t length = 0;
    const auto [end, error] = std::from_chars(type.data() + open + 1, type.data() + close, length);
    if (error == std::errc{} && end == type.data() + close) {
        text.length = length;
    }
    return text;
}

std::size_t longest_text(ColumnKind kind) {
    switch (kind) {
        case ColumnKind::id:
        case ColumnKind::app_id:
            return schema::limits::kIdLength;
        case ColumnKind::name:
            return schema::limits::kNameLength;
        case ColumnKind::value:
            return kValueLength;
        case ColumnKind::message:
            return schema::limits::kInlinePayloadLength;
        case ColumnKind::names:
            return schema::limits::kNameListLength;
        case ColumnKind::integer:
        case ColumnKind::big_integer:
        case ColumnKind::boolean:
        case ColumnKind::timestamp:
        case ColumnKind::bytes:
            return 0;
    }
    return 0;
}

TypeFit length_fit(const std::optional<std::size_t>& length, ColumnKind kind) {
    return length && *length < longest_text(kind) ? TypeFit::too_narrow : TypeFit::holds;
}

TypeFit precision_fit(std::size_t digits) {
    return digits < kMilliseconds ? TypeFit::too_narrow : TypeFit::holds;
}

}  // namespace jobstrand::persistence
