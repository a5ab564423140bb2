#pragma once

#include "persistence/history_store.hpp"
#include "schema/job_events.hpp"
#include "schema/throughput.hpp"
#include "schema/time.hpp"

#include <jobstrand/history.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// Which runs may be forgotten.
struct EndedRunBounds {
    std::optional<schema::TimePoint> before = {};  ///< Those that ended before that.
    std::optional<std::int64_t> of_type = {};      ///< And all but the latest so many of each type.
    std::size_t page = 500;                        ///< Most of a type in one transaction.
};

/// The last runs that succeeded of each handler type: JS_ENDED_RUN, which gives them their ids.
/// Whoever ended them tells of them afterwards, so that a crash may lose some: they are for people,
/// and nothing is decided by them.
///
/// See Transactions for what holds for all roles.
class RunStore {
public:
    virtual ~RunStore() = default;

    /// Adds runs in one transaction. They get ids of their own.
    virtual void add_runs(std::span<const FinishedRun> runs) = 0;

    /// The latest first, those that are older than `behind` (an id; empty: all).
    [[nodiscard]] virtual std::vector<FinishedRun>
    ended_runs(const FinishedRunQuery& filter, std::string_view behind, std::size_t limit) = 0;

    /// A page of each type in a transaction of its own. A row that another node is removing is left
    /// to it, so that nobody waits.
    virtual JobLogCleaning clean_runs(const EndedRunBounds& bounds) = 0;
};

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

/// Which spans are meant: those of a length that begin within a time.
struct SpanSearch {
    schema::Duration length{};
    schema::TimePoint from{};
    schema::TimePoint until = schema::kLatestInstant;  ///< Those that begin then are not.
    std::optional<std::string> handler_type = {};      ///< Only what is run of it; nullopt: of all.
};

/// What all nodes together have run in a span.
struct SpanSums {
    schema::TimePoint at{};
    schema::RunSums sums = {};

    bool operator==(const SpanSums&) const = default;
};

/// What nodes have run, as they write it down span by span. What cannot be read, because another
/// version has written it, counts as nothing. See Transactions for what holds for all roles.
class ThroughputStore {
public:
    virtual ~ThroughputStore() = default;

    /// Adds to what a node of this name has written of these spans, all in one transaction.
    virtual void
    add_throughput(std::string_view node, std::span<const schema::ThroughputSpan> spans) = 0;

    /// The oldest first, and no span in which nothing happened.
    [[nodiscard]] virtual std::vector<SpanSums> throughput(const SpanSearch& search) = 0;

    /// Returns the sum of these spans, by type.
    [[nodiscard]] virtual schema::Throughput throughput_by_type(const SpanSearch& search) = 0;

    /// Removes spans that begin before a time, a page of them. true: there may be more.
    virtual bool forget_throughput(schema::Duration length, schema::TimePoint before) = 0;
};

}  // namespace jobstrand::persistence
