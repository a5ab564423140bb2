#pragma once

#include "tools/jobstrand/output/record.hpp"

#include <optional>
#include <string_view>

namespace jobstrand::cli {

/// null in JSON, and nothing in a table, where there is no number.
template <typename Number>
[[nodiscard]] RecordField
number_or_null(std::string_view name, const std::optional<Number>& number) {
    return number ? number_field(name, *number)
                  : RecordField{.name = name, .json = "null", .text = {}};
}

}  // namespace jobstrand::cli
