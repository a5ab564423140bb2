#include "persistence/drivers/sqlite/sqlite_json.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

namespace {

constexpr const char* kKind =
    "CASE WHEN typeof({0}) = 'text' AND json_valid({0}) THEN json_type({0}, ?) END";

// A column of texts may hold bytes. A number is as it was written, and a truth value no number.
constexpr const char* kScalar =
    "CASE WHEN typeof({0}) = 'text' AND json_valid({0}) THEN"
    " CASE json_type({0}, ?) WHEN 'text' THEN json_extract({0}, ?)"
    " WHEN 'true' THEN 'true' WHEN 'false' THEN 'false'"
    " WHEN 'integer' THEN {0} -> ? WHEN 'real' THEN {0} -> ? END END";

constexpr const char* kNumber =
    "CASE WHEN typeof({0}) = 'text' AND json_valid({0}) THEN"
    " CASE WHEN json_type({0}, ?) IN ('integer', 'real') THEN"
    " CAST(json_extract({0}, ?) AS REAL) END END";

}  // namespace

std::string sqlite_kind_at(std::string_view column) {
    return fmt::format(fmt::runtime(kKind), column);
}

std::string sqlite_scalar_at(std::string_view column) {
    return fmt::format(fmt::runtime(kScalar), column);
}

std::string sqlite_number_at(std::string_view column) {
    return fmt::format(fmt::runtime(kNumber), column);
}

}  // namespace jobstrand::persistence
