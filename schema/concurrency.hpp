#pragma once

#include "schema/job.hpp"
#include "schema/text/parsing.hpp"
#include "schema/time.hpp"

#include <jobstrand/limit.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What keeps jobs from running: exclusive ones that never run at the same time (R082, R086), rates
/// of starts, and limits. Pure.
namespace jobstrand::schema {

/// What has one exclusive job at a time: each instance by itself (R092), or all instances under one
/// root together (R093). All nodes of a database must agree.
enum class ExclusiveOver { instance, hierarchy };

/// The group that the job excludes, as the lock of it is named; empty: none, because the job is not
/// exclusive or belongs to no instance. A job without a root is under its own instance. Blanks at
/// the end do not count, because to MySQL and MariaDB they do not. Borrowed from the job.
[[nodiscard]] std::string_view exclusive_group(const Job& job, ExclusiveOver over);

/// Whether it has a group in either way.
[[nodiscard]] bool may_exclude(const Job& job);

/// LOCK_OWNER_ of an executable job that waits for an exclusive one of its group. It is not free,
/// so that no claim reads it again and again, and no node holds it.
inline constexpr std::string_view kWaitingOwner = "waiting for an exclusive job";

[[nodiscard]] inline bool waits_for_exclusive(const Job& job) {
    return job.lock_owner == kWaitingOwner;
}

/// How many jobs of a group a node takes before it looks who else waits. They wait in its memory
/// for each other, so this bounds what an instance with many jobs takes there.
inline constexpr std::int64_t kMostClaimedOfGroup = 100;

/// How many of `wanted` jobs its holder may claim, when it has claimed so many since it holds the
/// group. The others wait.
[[nodiscard]] std::int64_t may_claim_of_group(std::int64_t claimed, std::int64_t wanted);

/// The most starts of a rate, and its longest period.
inline constexpr int kMostStarts = 1'000'000;
inline constexpr Duration kLongestRatePeriod = std::chrono::days(1);

/// A tenth of the starts of a rate may come at once after a pause; the rest follow evenly, so that
/// a machine behind them is not hit by a wave.
///
/// It is the generic cell rate algorithm (ITU-T I.371): of a group nothing is known but one point
/// in time, up to which its starts have used the rate up. So nobody counts starts.
using jobstrand::StartRate;

/// The time until which a rate is used up. It is finer than other times, because starts of a fast
/// rate are less than a millisecond apart.
using UsedUntil = std::chrono::sys_time<std::chrono::microseconds>;

/// `100/PT1M`.
[[nodiscard]] std::string text_of(const StartRate& rate);
[[nodiscard]] ParseResult<StartRate> parse_start_rate(std::string_view text);

/// How many may start now, where the rate is used up until `used_until` (nullopt: it is not at
/// all). A time further away than a period was written by a clock that has jumped since, and does
/// not count.
[[nodiscard]] std::int64_t
starts_left(const StartRate& rate, std::optional<UsedUntil> used_until, TimePoint now);

/// Returns until when the rate is used up after `starts` more starts. Precondition: so many were
/// left.
[[nodiscard]] UsedUntil used_after(
    const StartRate& rate,
    std::optional<UsedUntil> used_until,
    TimePoint now,
    std::int64_t starts
);

/// How long to wait until it is worth looking again, because some of those that may come at once
/// are left; zero: now.
[[nodiscard]] Duration
until_next_starts(const StartRate& rate, std::optional<UsedUntil> used_until, TimePoint now);

/// The field by whose value a limit groups jobs.
enum class LimitKind { type, definition, tenant, category };

/// Stands for each value by itself.
inline constexpr std::string_view kEachValue = "*";

/// The most that a limit may allow, which is what is read of a group at once.
inline constexpr int kMostConcurrent = 10'000;

/// A limit of how many jobs run at the same time, over all nodes and on one of them, and of how
/// often they start. The public one has KIND:VALUE as it is written.
struct JobLimit {
    LimitKind kind = LimitKind::type;
    std::string value = {};  ///< Of the job's field, or kEachValue.
    std::optional<int> concurrent = {};
    std::optional<int> per_node = {};
    std::optional<StartRate> rate = {};

    bool operator==(const JobLimit&) const = default;
};

/// `KIND:VALUE`.
[[nodiscard]] std::string name_of(const JobLimit& limit);

/// A limit without numbers from its name. Throws std::invalid_argument, one sentence that says what
/// is wrong.
[[nodiscard]] JobLimit limit_named(std::string_view name);

/// What is wrong with its numbers, one sentence; empty: nothing.
[[nodiscard]] std::string mistake_in(const JobLimit& limit);

/// LOCK_OWNER_ of an executable job that waits until a limit has room for it. As with
/// kWaitingOwner, no claim reads it and no node holds it.
inline constexpr std::string_view kLimitedOwner = "waiting for a limit";

[[nodiscard]] inline bool waits_for_limit(const Job& job) {
    return job.lock_owner == kLimitedOwner;
}

/// Jobs of which only so many run at the same time, or start in some time.
struct LimitedGroup {
    std::string name;  ///< Up to 64 bytes.
    std::optional<int> concurrent = {};
    std::optional<int> per_node = {};
    std::optional<StartRate> rate = {};

    bool operator==(const LimitedGroup&) const = default;
};

/// The name of the group of all jobs with this value; empty for an empty value, which no limit
/// meets. Blanks at the end do not count, because to MySQL and MariaDB they do not. Of a long value
/// there is a part and a digest.
[[nodiscard]] std::string group_name(LimitKind kind, std::string_view value);

/// Whether a group has a name of this kind.
[[nodiscard]] bool is_of_kind(std::string_view group, LimitKind kind);

/// All limits that are set. Of one kind at most one applies to a job: that of its own value, or
/// else that of each value.
class JobLimits {
public:
    JobLimits() = default;
    explicit JobLimits(std::span<const JobLimit> limits);

    [[nodiscard]] bool are_none() const { return by_name_.empty(); }

    /// Whether any of them is a rate.
    [[nodiscard]] bool have_rates() const { return have_rates_; }

    /// At most one of each kind, in the order of LimitKind.
    [[nodiscard]] std::vector<LimitedGroup> groups_of(const Job& job) const;

    /// Whether there are any.
    [[nodiscard]] bool meets(const Job& job) const;

    /// What the limits say about a group of this name; without numbers: nothing.
    [[nodiscard]] LimitedGroup group(std::string_view name) const;

private:
    [[nodiscard]] const JobLimit* limit_of(std::string_view group) const;

    std::map<std::string, JobLimit, std::less<>> by_name_;  ///< By names of groups.
    bool have_rates_ = false;
};

/// What runs of a group, and what has started of it.
struct GroupLoad {
    std::int64_t running = 0;
    std::int64_t here = 0;  ///< Those of the node that asks.
    std::optional<UsedUntil> used_until = {};
};

/// How many more may start here now.
[[nodiscard]] std::int64_t room_in(const LimitedGroup& group, const GroupLoad& load, TimePoint now);

}  // namespace jobstrand::schema
