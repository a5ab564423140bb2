#include "persistence/drivers/mysql/mysql_json.hpp"

#include <fmt/format.h>

namespace jobstrand::persistence {

namespace {

constexpr std::string_view kNumberTypes = "'INTEGER', 'UNSIGNED INTEGER', 'DOUBLE', 'DECIMAL'";

// MySQL fails with an error at a text that is nested deeper than 100. That cannot be seen from
// outside, but one with fewer brackets is not; there, others have no parts. MariaDB, which does not
// fail, reads nothing between the signs.
constexpr const char* kWhenValid =
    "/*!80000 WHEN LENGTH({0}) - LENGTH(REPLACE(REPLACE({0}, '[', ''), '{{', '')) > 100 THEN NULL "
    "*/"
    " WHEN JSON_VALID({0})";

constexpr const char* kKind = "CASE {valid} THEN JSON_TYPE(JSON_EXTRACT({0}, ?)) END";

// MariaDB 10.6 has `?` for each character beyond the basic plane in what JSON_UNQUOTE returns. In
// MySQL JSON_VALUE ends at 512 characters; MariaDB's does not, but has 1 for true.
constexpr const char* kScalar =
    "CASE {valid} THEN"
    " CASE WHEN JSON_TYPE(JSON_EXTRACT({0}, ?)) = 'STRING' THEN"
    " /*!80000 JSON_UNQUOTE(JSON_EXTRACT( */ /*M!100600 JSON_VALUE( */ {0}, ?) /*!80000 ) */"
    " WHEN JSON_TYPE(JSON_EXTRACT({0}, ?)) IN ('BOOLEAN', {1}) THEN"
    " JSON_UNQUOTE(JSON_EXTRACT({0}, ?)) END END";

// What a double cannot hold would make a statement that changes rows fail.
constexpr const char* kNumber =
    "CASE {valid} THEN"
    " CASE WHEN JSON_TYPE(JSON_EXTRACT({0}, ?)) IN ({1})"
    " AND JSON_UNQUOTE(JSON_EXTRACT({0}, ?)) REGEXP"
    " '^-?[0-9]{{1,99}}([.][0-9]+)?([eE][-+]?[0-9]{{1,2}})?$' THEN"
    " JSON_UNQUOTE(JSON_EXTRACT({0}, ?)) + 0e0 END END";

/// `form` with the column and the types of numbers.
[[nodiscard]] std::string of_column(const char* form, std::string_view column) {
    return fmt::format(
        fmt::runtime(form),
        column,
        kNumberTypes,
        fmt::arg("valid", fmt::format(fmt::runtime(kWhenValid), column))
    );
}

}  // namespace

std::string mysql_kind_at(std::string_view column) {
    return of_column(kKind, column);
}

std::string mysql_scalar_at(std::string_view column) {
    return of_column(kScalar, column);
}

std::string mysql_number_at(std::string_view column) {
    return of_column(kNumber, column);
}

}  // namespace jobstrand::persistence
