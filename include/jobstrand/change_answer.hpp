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

}  // namespace jobstrand
