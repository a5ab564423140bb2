#pragma once

#include "deadletter/job_search.hpp"
#include "deadletter/overview.hpp"
#include "persistence/node_store.hpp"
#include "persistence/run_store.hpp"
#include "schema/throughput.hpp"
#include "tools/output/fields.hpp"
#include "tools/output/record.hpp"

#include <string>
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

// What was run, as `rate ls` and `rate types` write it.

struct RatePoint {
    persistence::SpanSums span;
    schema::Duration length{};
};

struct TypeRates {
    std::string type;
    schema::RunSums sums;
};

[[nodiscard]] const Fields<RatePoint>& rate_fields();
[[nodiscard]] const Fields<TypeRates>& type_rates_fields();

/// A node, as `node ls` writes it.
[[nodiscard]] const Fields<persistence::Node>& node_fields();

}  // namespace jobstrand::cli
