#pragma once

#include <jobstrand/job.hpp>
#include <jobstrand/time.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand {

/// What a list of jobs may be sorted by. By id, and for timers by due date, an index serves it; by
/// all else what matches is read and sorted.
enum class JobOrder { id, due_date, create_time, priority, retries, handler_type };

/// Which jobs of a place are meant. All that is set must match; of a list one value is enough.
///
///     engine.list({.place = JobPlace::timer,
///                  .handler_types = {"mail", "sms"},
///                  .with_exception = true,
///                  .order = JobOrder::due_date});
struct JobQuery {
    JobPlace place = JobPlace::executable;

    std::optional<std::vector<std::string>> ids = {};  ///< nullopt: any; an empty list: none.

    // Empty: any.
    std::vector<std::string> handler_types = {};
    std::vector<std::string> process_instance_ids = {};
    std::vector<std::string> root_process_instance_ids = {};
    std::vector<std::string> process_definition_ids = {};
    std::vector<std::string> execution_ids = {};
    std::vector<std::string> element_ids = {};
    std::vector<std::string> categories = {};
    std::vector<std::string> tenant_ids = {};
    std::vector<std::string> correlation_ids = {};
    std::vector<std::string> unique_keys = {};
    std::vector<std::string> series = {};
    std::vector<std::string> lock_owners = {};
    std::string message = {};  ///< A part of the last failure; case counts.

    // Both ends exclusive.
    std::optional<TimePoint> due_before = {};
    std::optional<TimePoint> due_after = {};
    std::optional<TimePoint> created_before = {};
    std::optional<TimePoint> created_after = {};

    // Both ends inclusive.
    std::optional<std::int64_t> priority_min = {};
    std::optional<std::int64_t> priority_max = {};
    std::optional<int> retries_min = {};
    std::optional<int> retries_max = {};

    std::optional<bool> locked = {};          ///< Whether somebody runs it.
    std::optional<bool> with_exception = {};  ///< Whether a failure is stored with it.

    // The page; of no meaning for a count.
    JobOrder order = JobOrder::id;
    bool descending = false;
    std::optional<StoredJob> behind = {};  ///< The last one of the page before.
    std::size_t limit = 1000;
};

}  // namespace jobstrand
