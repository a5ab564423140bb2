#pragma once

#include "schema/job.hpp"
#include "schema/job_transition.hpp"

#include <memory>
#include <optional>
#include <string>

namespace jobstrand::persistence {

/// What became of a run: the job as it was acquired, and where the state machine sends it. The job
/// is shared with whoever holds it, because a copy of its texts for each run would cost more than
/// the run of a short job.
struct Outcome {
    std::shared_ptr<const schema::Job> job;  ///< Never null.
    schema::Transition transition;
    std::optional<schema::Duration> duration = {};  ///< Of the run, where there was one.
    std::optional<schema::TimePoint> ended = {};    ///< By the database's clock.
    bool is_begin_counted = false;  ///< The run took so long that its begin was counted meanwhile.
    std::string last_word = {};     ///< What the run told last of itself.
};

/// What came of writing an outcome. Only `done` changed something.
enum class OutcomeAnswer {
    done,
    lost_lock,  ///< Owner or revision no longer match: somebody else has the job now. Not an error.
};

}  // namespace jobstrand::persistence
