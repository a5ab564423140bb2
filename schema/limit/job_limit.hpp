#pragma once

#include "schema/job.hpp"
#include "schema/limit/start_rate.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// Limits of how many jobs run at the same time, over all nodes and on one of them, and of how
/// often they start. Pure.
namespace jobstrand::schema {

/// The field by whose value a limit groups jobs.
enum class LimitKind { type, definition, tenant, category };

/// Stands for each value by itself.
inline constexpr std::string_view kEachValue = "*";

/// The most that a limit may allow, which is what is read of a group at once.
inline constexpr int kMostConcurrent = 10'000;

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
