#pragma once

#include <string>
#include <string_view>

namespace jobstrand::deadletter {

/// What dead letters died of, as far as their rows tell: two with one cause need one remedy.
struct FailureCause {
    std::string handler_type = {};
    /// See schema::error_class_of(), of the message on one line.
    std::string error_class = {};
    std::string message = {};  ///< failure_pattern() of the rest.

    bool operator==(const FailureCause&) const = default;
};

[[nodiscard]] FailureCause cause_of(std::string_view handler_type, std::string_view message);

/// 12 hexadecimal digits that name it: the same on every machine and whenever it is asked.
[[nodiscard]] std::string id_of(const FailureCause& cause);

/// Whether a text has the form of such an id.
[[nodiscard]] bool is_cause_id(std::string_view text);

}  // namespace jobstrand::deadletter
