#pragma once

#include "deadletter/overview.hpp"
#include "persistence/node_store.hpp"
#include "schema/job.hpp"
#include "schema/paging.hpp"
#include "schema/series.hpp"
#include "tools/output/fields.hpp"

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What `doctor` says of an installation.
namespace jobstrand::cli {

enum class FindingLevel {
    ok,
    note,     ///< Good to know; nothing has to be done.
    unknown,  ///< It could not be looked at: this user may not.
    wrong,
};

/// The word in JSON and tables.
[[nodiscard]] std::string_view name_of(FindingLevel level);

struct Finding {
    std::string check = {};  ///< What was looked at: `nodes`.
    FindingLevel level = FindingLevel::ok;
    std::string text = {};
    std::string advice = {};  ///< What to do; empty: nothing.
};

using Findings = std::vector<Finding>;

[[nodiscard]] const Fields<Finding>& finding_fields();

/// Appends what `look` finds; what the database refuses is a finding too. Throws nothing that has
/// to do with the database.
void look_at(
    std::string_view check,
    Findings& findings,
    const std::function<void(Findings&)>& look
);

// The checks themselves are pure: they are given what was read.

/// What is known of the jobs without reading all of them.
struct QueueFacts {
    /// Dead letters are counted up to this number.
    static constexpr std::size_t kMostCounted = 1000;

    schema::TimePoint now = {};
    std::vector<persistence::UnservedJobs> unserved = {};
    std::optional<schema::Job> first_free = {};  ///< The first one in the order of ids.
    std::optional<schema::TimePoint> next_due = {};
    std::size_t dead_letters = 0;  ///< kMostCounted + 1: more.
    std::optional<schema::Job> latest_dead = {};
    /// Series that have lost their turn, up to kMostCounted + 1 of them.
    std::vector<std::string> without_turn = {};
    std::string series_up_to = {};  ///< The key of the last one looked at; empty: all were.
    std::vector<deadletter::ExternalTopic> external = {};
};

void check_jobs(const QueueFacts& facts, Findings& findings);

/// Who lives, who has died, who is drained, and whether all are of one version.
void check_nodes(
    const std::vector<persistence::Node>& nodes,
    schema::TimePoint now,
    Findings& findings
);

/// Who has died lately. Nothing is wrong with that any more, but somebody may want to know why.
void check_lost_nodes(
    const std::vector<persistence::Node>& lost,
    schema::TimePoint now,
    Findings& findings
);

/// How fast the database answers.
[[nodiscard]] Finding
finding_of_answer(std::string_view product, std::chrono::duration<double, std::milli> took);

/// How far this machine's clock is ahead of the database's.
[[nodiscard]] Finding finding_of_clock(schema::Duration skew);

/// Whether a Flowable engine that has its jobs here writes times in another zone than UTC, as far
/// as they tell: one that is behind UTC writes times that anybody could have written.
[[nodiscard]] Finding
finding_of_engine_times(const std::optional<schema::TimePoint>& last_job, schema::TimePoint now);

/// Series that wait and are looked at; more would take long.
inline constexpr std::size_t kSeriesLookedAt = 10'000;

/// And for a page, which asks again and again.
inline constexpr std::size_t kSeriesLookedAtSoon = 2'000;

/// Computes the waiting turns of series anew, and names those that are due at another time.
[[nodiscard]] Finding finding_of_series(const schema::Page<schema::Series>& waiting);

}  // namespace jobstrand::cli
