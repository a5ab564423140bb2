#pragma once

#include "persistence/job_filter.hpp"
#include "persistence/run_store.hpp"

#include <optional>

namespace jobstrand::cli {

/// Of the runs of jobs that are done, of which less is known than of jobs. nullopt: it asks for
/// more than the type, the tenant and the instance.
[[nodiscard]] std::optional<persistence::EndedRunFilter> done_filter_of(
    const persistence::JobFilter& filter
);

}  // namespace jobstrand::cli
