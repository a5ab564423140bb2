#include "persistence/drivers/mysql/mysql_json.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kNumberTypes = "'INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL'";

constexpr const char* kKind = "CASE WHEN JSON_VALID({0}) THEN JSON_TYPE(JSON_EXTRACT({0}, ?)) END";

constexpr const char* kScalar =
    "CASE WHEN JSON_VALID({0}) THEN"
    " CASE WHEN JSON_TYPE(JSON_EXTRACT({0}, ?)) IN ('STRING', 'BOOLEAN', {1}) THEN"
    " JSON_UNQUOTE(JSON_EXTRACT({0}, ?)) END END";

// What a double cannot hold would make a statement that changes rows fail.
constexpr const char* kNumber =
    "CASE WHEN JSON_VALID({0}) THEN"
    " CASE WHEN JSON_TYPE(JSON_EXTRACT({0}, ?)) IN ({1})"
    " AND JSON_UNQUOTE(JSON_EXTRACT({0}, ?)) REGEXP"
    " '^-?[0-9]{{1,99}}([.][0-9]+)?([eE][-+]?[0-9]{{1,2}})?$' THEN"
    " JSON_UNQUOTE(JSON_EXTRACT({0}, ?)) + 0e0 END END";

}  // namespace

std::string mysql_kind_at(std::string_view column) {
    return fmt::format(fmt::runtime(kKind), column);
}

std::string mysql_scalar_at(std::string_view column) {
    return fmt::format(fmt::runtime(kScalar), column, kNumberTypes);
}

std::string mysql_number_at(std::string_view column) {
    return fmt::format(fmt::runtime(kNumber), column, kNumberTypes);
}

}  // namespace jobstrand::persistence
