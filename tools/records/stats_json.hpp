#pragma once

#include "deadletter/admin/external_topics.hpp"
#include "deadletter/admin/job_search.hpp"
#include "persistence/node_store.hpp"
#include "persistence/served_store.hpp"
#include "tools/output/record.hpp"

#include <vector>

namespace jobstrand::cli {

/// The jobs of external workers of one type, and who asks for them, as `top` and `stats` write it.
[[nodiscard]] Record record_of(const deadletter::ExternalTopic& topic);

/// `"external":[{...}]`
[[nodiscard]] RecordField external_field(const std::vector<deadletter::ExternalTopic>& topics);

/// The counts as one object: `places`, `locked`, `unserved`.
[[nodiscard]] Record record_of(
    const std::vector<deadletter::PlaceCount>& counts,
    const std::vector<persistence::UnservedJobs>& unserved
);

/// Of counts that are to be had soon, how good they are, by place: `lookedAt`, where there are more
/// than were looked at, and `asOf`, where they were counted earlier.
[[nodiscard]] Record record_of_bounds(const std::vector<deadletter::PlaceCount>& counts);

/// What nodes tell, which changes all the time: `runsLastMinute`, `failedLastMinute`, `external`.
[[nodiscard]] Record record_of(
    const std::vector<persistence::TypeRuns>& last_minute,
    const std::vector<deadletter::ExternalTopic>& external
);

}  // namespace jobstrand::cli
