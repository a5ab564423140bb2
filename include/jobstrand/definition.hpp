#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace jobstrand {

/// What new jobs of a kind get that do not say it themselves; docs/definitions.md.
///
///     engine.set_definition({.name = "shipping:3/charge-card", .priority = "100"});
struct JobDefinition {
    /// `DEFINITION`, `DEFINITION/ELEMENT`, `DEFINITION/ELEMENT/TYPE` or `DEFINITION//TYPE`.
    std::string name = {};
    std::string priority = {};     ///< A whole number, or an expression; empty: none.
    std::string retry_cycle = {};  ///< `R5/PT5M`; may hold expressions. Empty: none.
    std::string category = {};     ///< May hold expressions, as `mail-${region}`. Empty: none.
    std::optional<bool> exclusive = {};
    std::optional<std::int64_t> override_priority = {};  ///< Goes before all other priorities.

    bool operator==(const JobDefinition&) const = default;
};

}  // namespace jobstrand
