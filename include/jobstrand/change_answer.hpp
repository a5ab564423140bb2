#pragma once

namespace jobstrand {

/// What became of what was asked for one job, series or calendar.
enum class ChangeAnswer {
    done,
    not_found,  ///< There is none, or it does not stand where it had to.
    locked,     ///< Somebody runs it; later it can be done.
    refused,    ///< Not with this one: a turn that carries a series on, a date for a dead letter.
    unchanged,  ///< It was so already.
};

/// What came of running one job by hand.
enum class RunAnswer {
    done,       ///< It was run.
    not_found,  ///< No job with this id can run now.
    locked,     ///< A node has it.
    lost_lock,  ///< The lock was lost during the run; its result is discarded.
};

/// What came of what an external worker says about a job that it holds. Only `done` changed
/// something.
enum class WorkAnswer {
    done,
    not_found,  ///< No worker has such a job: it is done, or somewhere else.
    not_held,   ///< Another one has it, or nobody.
};

}  // namespace jobstrand
