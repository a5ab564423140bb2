#include "deadletter/causes/failure_cause.hpp"

#include "deadletter/causes/failure_pattern.hpp"
#include "schema/text/digest.hpp"
#include "schema/text/error_class.hpp"

#include <algorithm>

namespace jobstrand::deadletter {

namespace {

constexpr std::size_t kIdDigits = 12;

}  // namespace

FailureCause cause_of(std::string_view handler_type, std::string_view message) {
    FailureCause cause{.handler_type = std::string(handler_type)};
    const std::string line = on_one_clean_line(message);
    std::string_view rest = line;
    cause.error_class = schema::error_class_of(line);
    if (rest.starts_with(cause.error_class) && !cause.error_class.empty()) {
        rest.remove_prefix(std::min(cause.error_class.size() + 2, rest.size()));
    }
    cause.message = failure_pattern(rest);
    return cause;
}

std::string id_of(const FailureCause& cause) {
    std::string text = cause.handler_type;
    (text += '\0') += cause.error_class;
    (text += '\0') += cause.message;
    const std::string digest = schema::digest_of(text);
    return digest.substr(digest.size() - kIdDigits);
}

bool is_cause_id(std::string_view text) {
    return text.size() == kIdDigits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

}  // namespace jobstrand::deadletter
