#pragma once

#include "schema/time.hpp"

#include <optional>

namespace jobstrand::persistence {

/// What one look at all tables tells a node that has nothing to do.
struct IdleView {
    schema::TimePoint at = {};  ///< As of when.

    /// See ExecutorStore::has_acquirable.
    bool has_acquirable = false;

    /// See TimerStore::next_due, without `from`; nullopt: there is none.
    std::optional<schema::TimePoint> next_due = {};
    /// false: something stands first among the timers that TimerStore::next_due has to see to.
    bool are_timers_sound = true;

    bool has_executable = false;  ///< Any executable job, whoever serves or holds it.
    bool has_locks = false;       ///< Something else that a lock may be on, or be left over of one.
    bool has_limits = false;      ///< A limit, or a job that waits for one.
    bool has_leftovers = false;   ///< A unique key, or a group of limited jobs.

    /// When the first lease of a node ends that is not renewed; nullopt: nobody knows.
    std::optional<schema::TimePoint> first_lease_end = {};
};

}  // namespace jobstrand::persistence
