#pragma once

#include "tools/output/fields.hpp"

#include <functional>
#include <string>
#include <string_view>
#include <vector>

/// What `doctor` says of an installation.
namespace jobstrand::cli {

enum class FindingLevel {
    ok,
    note,     ///< Good to know; nothing has to be done.
    unknown,  ///< It could not be looked at: this user may not.
    wrong,
};

/// The word in JSON and tables.
[[nodiscard]] std::string_view name_of(FindingLevel level);

struct Finding {
    std::string check = {};  ///< What was looked at: `nodes`.
    FindingLevel level = FindingLevel::ok;
    std::string text = {};
    std::string advice = {};  ///< What to do; empty: nothing.
};

using Findings = std::vector<Finding>;

[[nodiscard]] const Fields<Finding>& finding_fields();

/// Appends what `look` finds; what the database refuses is a finding too. Throws nothing that has
/// to do with the database.
void look_at(
    std::string_view check,
    Findings& findings,
    const std::function<void(Findings&)>& look
);

}  // namespace jobstrand::cli
