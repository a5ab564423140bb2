#pragma once

namespace jobstrand::persistence {

/// What came of asking for one job by its id. Only `done` changed something.
enum class JobAnswer {
    done,
    not_found,  ///< No such job, or not in the place where it was looked for.
    locked,     ///< A node holds a live lock on it.
    key_held,   ///< Another job has its unique key.
};

}  // namespace jobstrand::persistence
