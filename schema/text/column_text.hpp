#pragma once

#include "schema/text/parsing.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What the text columns can hold, lists of names in them, and digests of texts that are too long.
namespace jobstrand::schema {

// Each of these checks adds a sentence to `problems` that names the field.

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

// A list of names as one text, one name a line: a column has it so, and a statement can ask whether
// a name is among them.

/// An error for a name that is empty or has a line break, which no list can have.
[[nodiscard]] ParseResult<std::string> joined_names(std::span<const std::string> names);

/// Empty lines, which plain SQL may write, are no names.
[[nodiscard]] std::vector<std::string> names_in(std::string_view list);

/// 16 hexadecimal digits that name a text: FNV-1a of 64 bits, the same on every node and in every
/// version. Whoever wants two texts of one digest can make them.
[[nodiscard]] std::string digest_of(std::string_view text);

}  // namespace jobstrand::schema
