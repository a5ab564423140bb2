#pragma once

#include "schema/job.hpp"

#include <cstdint>
#include <string_view>

/// Which exclusive jobs never run at the same time (R082, R086), and how many of them one node
/// holds. Pure.
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

}  // namespace jobstrand::schema
