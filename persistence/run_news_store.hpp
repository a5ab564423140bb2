#pragma once

#include "schema/history/run_news.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace jobstrand::persistence {

/// A run that is under way, and what it has told last: a row of JS_RUN_NEWS.
struct ToldRun {
    std::string job = {};
    std::int64_t revision = 0;  ///< Tells this run from an earlier one of the same job.
    std::string owner = {};     ///< The node or external worker that holds it.
    std::string handler_type = {};
    std::string tenant = {};
    schema::TimePoint told{};
    schema::RunNews news = {};

    bool operator==(const ToldRun&) const = default;
};

/// What runs tell of themselves while they are under way. It is for people: nothing is decided by
/// it, a crash may lose some, and rows of runs that have ended may stay for a while. Who shows one
/// compares owner and revision with those of the job.
///
/// See Transactions for what holds for all roles.
class RunNewsStore {
public:
    virtual ~RunNewsStore() = default;

    /// Sets what these runs have told, and removes the rows of runs that have ended, of which only
    /// job and revision are looked at; all in one transaction.
    virtual void write_news(std::span<const ToldRun> told, std::span<const ToldRun> ended) = 0;

    /// Returns what runs of these jobs have reported, the latest first; no jobs: all runs.
    [[nodiscard]] virtual std::vector<ToldRun>
    run_news(std::span<const std::string> jobs, std::size_t limit) = 0;

    /// Removes what was told before that time of jobs that nobody runs any more.
    virtual void forget_news(schema::TimePoint before) = 0;
};

}  // namespace jobstrand::persistence
