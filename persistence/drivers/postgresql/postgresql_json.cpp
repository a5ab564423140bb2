#include "persistence/drivers/postgresql/postgresql_json.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

namespace {

// Before version 16 PostgreSQL can only try to read JSON, and a text that is none ends the
// statement. So the text is reduced until it is one value, or is not: strings become the character
// 1, all other scalars 2, and then each innermost list or object 2, so often as they may nest.
constexpr int kDepth = 32;

// Escapes that no text of the database can hold (NUL, half a surrogate pair) count as no JSON.
constexpr std::string_view kString =
    R"re('"(?:[^"\\\u0001-\u001f]|\\["\\/bfnrt])re"
    R"re(|\\u(?:[1-9a-cA-CefEF][0-9a-fA-F]{3}|[dD][0-7][0-9a-fA-F]{2})re"
    R"re(|0[1-9a-fA-F][0-9a-fA-F]{2}|00[1-9a-fA-F][0-9a-fA-F]|000[1-9a-fA-F]))re"
    R"re(|\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2})*"')re";
constexpr std::string_view kScalar =
    R"re('-?(?:0|[1-9][0-9]*)(?:[.][0-9]+)?(?:[eE][-+]?[0-9]+)?|true|false|null')re";
constexpr std::string_view kBlanks = R"re('[ \t\n\r]+')re";
constexpr std::string_view kInnermost =
    R"re('\{(?:\u0001:[\u0001\u0002](?:,\u0001:[\u0001\u0002])*)?\}|)re"
    R"re(\[(?:[\u0001\u0002](?:,[\u0001\u0002])*)?\]')re";

[[nodiscard]] std::string
replaced(std::string_view text, std::string_view pattern, std::string_view by) {
    return fmt::format("regexp_replace({}, {}, {}, 'g')", text, pattern, by);
}

[[nodiscard]] std::string is_json(std::string_view column) {
    std::string value = replaced(column, kString, "chr(1)");
    value = replaced(value, kScalar, "chr(2)");
    value = replaced(value, kBlanks, "''");
    for (int i = 0; i < kDepth; ++i) {
        value = replaced(value, kInnermost, "chr(2)");
    }
    // The marks themselves are nowhere in JSON.
    return fmt::format(R"re({0} !~ '[\u0001\u0002]' AND {1} IN (chr(1), chr(2)))re", column, value);
}

constexpr std::string_view kAtPath = "CAST({0} AS json) {1} CAST(? AS text[])";

[[nodiscard]] std::string at_path(std::string_view column, std::string_view how) {
    return fmt::format(kAtPath, column, how);
}

}  // namespace

std::string postgresql_kind_at(std::string_view column) {
    return fmt::format(
        "CASE WHEN {} THEN json_typeof({}) END", is_json(column), at_path(column, "#>")
    );
}

std::string postgresql_scalar_at(std::string_view column) {
    return fmt::format(
        "CASE WHEN {} THEN CASE WHEN json_typeof({}) IN ('string', 'number', 'boolean')"
        " THEN {} END END",
        is_json(column),
        at_path(column, "#>"),
        at_path(column, "#>>")
    );
}

std::string postgresql_number_at(std::string_view column) {
    // What a double cannot hold would be an error.
    return fmt::format(
        "CASE WHEN {0} THEN CASE WHEN json_typeof({1}) = 'number' AND {2} ~"
        " '^-?[0-9]{{1,99}}([.][0-9]+)?([eE][-+]?[0-9]{{1,2}})?$'"
        " THEN CAST({2} AS double precision) END END",
        is_json(column),
        at_path(column, "#>"),
        at_path(column, "#>>")
    );
}

std::string postgresql_path_of(std::span<const std::string> members) {
    std::string path;
    for (const std::string& member : members) {
        path += fmt::format("{}\"{}\"", path.empty() ? "" : ",", member);
    }
    return fmt::format("{{{}}}", path);
}

}  // namespace jobstrand::persistence
