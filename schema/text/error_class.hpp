#pragma once

#include <string>
#include <string_view>

namespace jobstrand::schema {

/// What stands before the first `: ` of a message of one line, or all of it, if it looks like the
/// name of an error or like a code; empty: neither. It has at most 120 bytes, all of them ASCII
/// letters, digits and `._$:- `.
///
/// - A name has letters, digits, `_`, `$`, dots and colons, and begins and ends with a letter or
///   `_`. If it has digits, its last part begins with a capital: `java.io.IOException`,
///   `std::bad_alloc`, `timeout`, `Http2Error`, but not `host7.example`.
/// - A code is up to 16 capitals and up to 6 digits, with nothing, `-`, `_` or a blank between:
///   `ORA-00942`, `HTTP 503`; or 3 to 5 digits: `503`.
///
/// What our own handlers say has a class too, which does not stand at its beginning: `exit 3`,
/// `signal 9` or `timeout` of a command, `HTTP 500`, `no answer` or `timeout` of a target.
[[nodiscard]] std::string error_class_of(std::string_view message);

}  // namespace jobstrand::schema
