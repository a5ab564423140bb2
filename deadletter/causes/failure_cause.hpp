#pragma once

#include <string>
#include <string_view>

namespace jobstrand::deadletter {

/// What dead letters died of, as far as their rows tell: two with one cause need one remedy.
struct FailureCause {
    std::string handler_type = {};

    /// What stands before the first `: ` of the message, or all of it, if it looks like the name of
    /// an error or like a code; empty: neither.
    ///
    /// - A name has letters, digits, `_`, `$`, dots and colons, begins and ends with a letter or
    /// `_`,
    ///   and has at most 120 bytes. If it has digits, its last part begins with a capital:
    ///   `java.io.IOException`, `std::bad_alloc`, `timeout`, `Http2Error`, but not `host7.example`.
    /// - A code is up to 16 capitals and up to 6 digits, with nothing, `-`, `_` or a blank between:
    ///   `ORA-00942`, `HTTP 503`; or 3 to 5 digits: `503`.
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
