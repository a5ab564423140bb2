#pragma once

#include "schema/job.hpp"
#include "schema/series.hpp"
#include "schema/unique_key.hpp"

namespace jobstrand::executor {

/// A job, and what becomes of it if another has its unique key.
struct UniqueJob {
    schema::Job job;
    schema::KeyRule rule;
};

/// A job that is to be enqueued. If it has a `repeat`, it is the first turn of a series.
struct NewJob {
    schema::Job job;  ///< `repeat` and `series` too: the text and the key of the series.

    /// What else the series is given: its times and options. Without a `repeat` of no meaning.
    schema::Series series;
    bool starts_paused = false;

    schema::KeyRule key_rule = {};  ///< Without a unique key of no meaning.

    [[nodiscard]] bool repeats() const { return !job.repeat.empty(); }
};

}  // namespace jobstrand::executor
