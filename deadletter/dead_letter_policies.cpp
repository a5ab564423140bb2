#include "deadletter/dead_letter_policies.hpp"

#include "schema/limits.hpp"
#include "schema/text/time_text.hpp"

namespace jobstrand::deadletter {

namespace {

using namespace std::chrono_literals;

constexpr schema::Duration kShortest = 1s;
constexpr schema::Duration kLongestAge = 365 * 24h;

bool is_length(schema::Duration duration) {
    return duration >= kShortest && duration <= kLongestAge;
}

}  // namespace

std::string mistake_in(const RequeueRule& rule) {
    if (rule.error_class.empty() && rule.message.empty()) {
        return "needs errorClass or message: what was cancelled, or ends every process, must not "
               "come back";
    }
    if (!is_length(rule.wait) || !is_length(rule.until)) {
        return "wait and until must be 1 s to 365 days";
    }
    if (rule.retries < 1 || rule.retries > schema::limits::kRetryAttempts) {
        return "retries must be 1 to " + std::to_string(schema::limits::kRetryAttempts);
    }
    if (rule.spread < 0s || rule.spread > 24h) {
        return "spread must be 0 to 24 h";
    }
    if (!schema::DayWindow::of(rule.window_start, rule.window_end)) {
        return "windowStart and windowEnd must be two times of the day such as 20:00, in UTC, or "
               "20:00+0200";
    }
    return {};
}

}  // namespace jobstrand::deadletter
