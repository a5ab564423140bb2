#pragma once

#include "schema/time.hpp"

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

/// What is done with dead letters without an operator. Nothing is, unless it is configured.
namespace jobstrand::deadletter {

/// When dead letters are removed for good.
struct DeadLetterRetention {
    schema::Duration age{0};  ///< What became one longer ago is removed. 0: nothing is for its age.
    std::int64_t rows = 0;    ///< The latest that are kept. 0: any number.

    [[nodiscard]] bool is_any() const { return age > schema::Duration{0} || rows > 0; }
    bool operator==(const DeadLetterRetention&) const = default;
};

/// Which dead letters come back by themselves, and how. Each comes back once `wait` after each of
/// its deaths, until its job is older than `until`: so there is an end.
struct RequeueRule {
    std::string name = {};
    // All that is set must match; an error class or a part of the message is.
    std::string handler_type = {};
    std::string error_class = {};                    ///< As `dead groups` tells it: see cause_of().
    std::string message = {};                        ///< A part of it; case counts.
    schema::Duration wait{std::chrono::hours(1)};    ///< 1 s to 365 days.
    schema::Duration until{std::chrono::hours(24)};  ///< Since the job was enqueued; likewise.
    int retries = 1;                                 ///< New attempts.
    schema::Duration spread{0};                      ///< See Revival::spread. 0 to 24 h.
    // From and to which time of the day (see DayWindow); empty: always.
    std::string window_start = {};
    std::string window_end = {};

    bool operator==(const RequeueRule&) const = default;
};

struct DeadLetterPolicies {
    DeadLetterRetention retention = {};
    std::vector<RequeueRule> requeues = {};
};

/// What is wrong with a rule, one sentence; empty: nothing.
[[nodiscard]] std::string mistake_in(const RequeueRule& rule);

/// For the audit, beside the name of the node.
inline constexpr const char* kByPolicy = "policy";

}  // namespace jobstrand::deadletter
