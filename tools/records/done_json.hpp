#pragma once

#include "persistence/run_store.hpp"
#include "tools/output/fields.hpp"

namespace jobstrand::cli {

/// The place of jobs that have succeeded: they stand in no table of jobs, and of each type the last
/// runs are known.
inline constexpr std::string_view kDonePlace = "done";

/// A job that is done, as its run tells it.
[[nodiscard]] const Fields<persistence::EndedRun>& done_fields();

}  // namespace jobstrand::cli
