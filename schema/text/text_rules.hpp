#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

/// What the text columns can hold. Each adds a sentence to `problems` that names the field.
namespace jobstrand::schema {

/// Checks a text for a column of ColumnKind::id.
void check_id(std::string_view name, std::string_view value, std::vector<std::string>& problems);

/// Checks a text for a column of ColumnKind::app_id.
void check_app_id(
    std::string_view name,
    std::string_view value,
    std::vector<std::string>& problems
);

void check_text(
    std::string_view name,
    std::string_view value,
    std::size_t most_characters,
    std::vector<std::string>& problems
);

}  // namespace jobstrand::schema
