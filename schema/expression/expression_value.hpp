#pragma once

#include <cstdint>
#include <string>
#include <variant>

namespace jobstrand::schema {

/// An object or a list: of those an expression only knows whether they are empty.
struct Composite {
    bool is_empty = false;

    bool operator==(const Composite&) const = default;
};

/// What a part of an expression comes to; monostate: null.
using ExpressionValue =
    std::variant<std::monostate, bool, std::int64_t, double, std::string, Composite>;

}  // namespace jobstrand::schema
