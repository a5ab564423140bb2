#pragma once

#include "persistence/operator_store.hpp"
#include "schema/time.hpp"
#include "tools/service/management/management_json.hpp"

#include <cstddef>
#include <string>
#include <string_view>

namespace jobstrand::service {

/// What stands behind the question mark of a list of Flowable's management REST.
struct ManagementQuery {
    persistence::JobFilter filter = {};
    std::string_view sort = "id";
    persistence::SortedPart part = {.limit = 10};
};

/// Throws std::invalid_argument, one sentence, also for what Flowable knows and this does not, and
/// for what neither knows: a filter that is left out would show other jobs than were asked for.
[[nodiscard]] ManagementQuery
management_query_of(std::string_view query, const JobKind& kind, schema::TimePoint now);

}  // namespace jobstrand::service
