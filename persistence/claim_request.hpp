#pragma once

#include "schema/acquisition.hpp"
#include "schema/job.hpp"
#include "schema/time.hpp"

#include <algorithm>
#include <chrono>
#include <compare>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

/// Thrown through a claim, before its commit, by whoever finds that it must not be: its transaction
/// is rolled back and not run again, and the caller looks anew.
class NothingClaimed : public std::exception {
public:
    [[nodiscard]] const char* what() const noexcept override { return "nothing was claimed"; }
};

/// Who takes jobs now, and until when the others must leave them alone.
struct LockClaim {
    std::string_view owner;
    schema::TimePoint until;
    schema::TimePoint now = {};  ///< For rates; needed by whoever claims jobs to run them.

    /// How many plain jobs a page must have for one claim together instead of a lock each; 0:
    /// never. Plain are those that regard no other job and begin their first start.
    std::size_t pages_from = 0;

    /// Whether most of its time has gone, in waiting for locks, the gate, or tries that failed.
    /// Asked before the commit of a claim that has any jobs, which throws NothingClaimed if so: a
    /// job that begins near the end of its lock may be somebody else's before it ends. Empty:
    /// never.
    std::function<bool()> is_late = {};
};

/// The right to write about a locked job: it holds while the row has this revision and its
/// holder's lock owner (I3). The row of a job that a claim names may have no lock owner: whoever
/// takes it away raises its revision.
struct Fence {
    std::string id;
    int revision = 0;
    /// The group that the job excludes while it is held (schema::exclusive_group); empty: none.
    std::string group = {};
    /// See schema::Job.
    std::int64_t claim = 0;

    bool operator==(const Fence&) const = default;
};

/// What an acquisition has seen, beside what it took.
struct SeenRows {
    /// Jobs of the last page that wait for an exclusive one or a limit instead of being taken:
    /// whoever goes on behind a page counts them as taken.
    std::size_t waiting = 0;

    /// The first free job that was passed over, because somebody was deciding about its group at
    /// that moment; empty: there was none. It may be looked for again at once.
    std::string first_left = {};

    /// Jobs that were taken along from behind the page: they come last.
    std::size_t same_instance = 0;

    /// In the order of the ids: the last row of the page that was looked at, if there may be more
    /// behind it; empty: it saw the end of the table.
    std::string end = {};

    /// Other nodes that live and serve such jobs too, as a full page from the start of the table
    /// finds them, where the limit asks for them; nullopt otherwise. Claims of pages do not ask:
    /// they begin behind each other's anyway.
    std::optional<std::size_t> nodes_beside = {};

    /// What it took to find them, without what was done with them.
    std::chrono::steady_clock::duration search{0};
};

/// How much one acquisition takes at most. A first job that has more bytes than that alone is taken
/// all the same, or it would never run.
struct PageLimit {
    PageLimit(std::size_t most_jobs) : jobs(most_jobs) {}
    PageLimit(std::size_t most_jobs, std::size_t most_bytes) : jobs(most_jobs), bytes(most_bytes) {}

    std::size_t jobs = 0;
    std::size_t bytes = std::numeric_limits<std::size_t>::max();  ///< Of their payloads.

    /// Of jobs that meet a limit (schema::JobLimits); further ones wait.
    std::size_t limited = std::numeric_limits<std::size_t>::max();

    /// Room besides, for exclusive jobs of the instances that the page takes, wherever they stand
    /// (R087). 0: none are looked for. Else it needs schema::kInstanceIndex.
    std::size_t same_instance = 0;

    /// It looks only at ids before this one; empty: at all. Only in the order of ids.
    std::string before = {};

    bool asks_for_nodes = false;  ///< See SeenRows::nodes_beside.

    /// Where to write what was seen; nullptr: nobody asks.
    SeenRows* seen = nullptr;

    /// Told of the last row of a page behind which there may be more (SeenRows::end), before the
    /// page is claimed: another may look behind it. Told again when the claim has to begin anew.
    /// With `enter` it is told when all rows are locked that the claim takes, and not at all when
    /// others are locked that stay free. Empty: nobody asks.
    std::function<void(std::string_view end)> when_found = {};

    /// For claims that follow each other. Called at the beginning of each transaction of the claim,
    /// which keeps what it returns until it ends; and before each commit. Both may wait for another
    /// claim, and throw NothingClaimed. Both or none.
    std::function<std::shared_ptr<const void>()> enter = {};
    std::function<void()> before_commit = {};

    bool operator==(const PageLimit& other) const {
        return jobs == other.jobs && bytes == other.bytes && limited == other.limited &&
               same_instance == other.same_instance;
    }
};

/// Jobs that stand one behind the other in the index of an order. An order takes one range after
/// the other, or of several the job that comes first.
struct IndexRange {
    enum class Kind {
        by_id,      ///< All of a priority, by id: where due dates do not matter.
        due,        ///< Those with a due date, by it and then by id.
        immediate,  ///< Those without, by id.
        of_tenant,  ///< Those of a tenant, by id.
        no_tenant,  ///< Those without any, by id: where SQL wrote NULL.
    };

    std::int64_t priority = 0;  ///< 0 in orders that do not ask for it.
    Kind kind = Kind::by_id;
    std::string tenant = {};

    auto operator<=>(const IndexRange&) const = default;
};

/// The last job of a range that was taken.
struct RangePosition {
    std::string id;
    std::optional<schema::TimePoint> due_date = {};

    bool operator==(const RangePosition&) const = default;
};

using RangePositions = std::map<IndexRange, RangePosition>;

[[nodiscard]] inline IndexRange
range_of(const schema::AcquisitionOrder& order, const schema::Job& job) {
    if (order.tenants_in_turn) {
        return {.kind = IndexRange::Kind::of_tenant, .tenant = job.tenant_id};
    }
    const std::int64_t priority = order.by_priority ? job.priority : 0;
    if (!order.asks_for_due_dates()) {
        return {priority, IndexRange::Kind::by_id};
    }
    return {priority, job.due_date ? IndexRange::Kind::due : IndexRange::Kind::immediate};
}

/// Where a range goes on behind this job.
[[nodiscard]] inline RangePosition position_of(const schema::Job& job) {
    return {job.id, job.due_date};
}

/// What a node fetches by itself of the jobs that it serves.
struct Fetching {
    bool jobs = true;    ///< false: it runs only what its own process hands to it.
    bool timers = true;  ///< false: it makes no due timer executable.

    bool operator==(const Fetching&) const = default;
};

/// Which jobs a node takes (I7): of these handler types, needing nothing that it lacks, as far as
/// that has been read (see schema::Job::needs), and within its scope.
struct ServedJobs {
    ServedJobs() = default;
    ServedJobs(
        std::vector<std::string> the_types,
        std::vector<std::string> has = {},
        schema::ServedScope within = {}
    )
        : types(std::move(the_types)), needs(std::move(has)), scope(std::move(within)) {}

    std::vector<std::string> types;  ///< In alphabetical order.
    /// Those among them whose jobs are never claimed by the page; likewise.
    std::vector<std::string> types_by_row = {};
    std::vector<std::string> needs;  ///< What is here of all that jobs may need; likewise.
    schema::ServedScope scope;
    Fetching fetching = {};

    [[nodiscard]] bool contains(const schema::Job& job) const {
        return std::ranges::binary_search(types, job.handler_type) &&
               (job.needs.empty() || std::ranges::binary_search(needs, job.needs)) &&
               schema::contains(scope, job);
    }

    bool operator==(const ServedJobs&) const = default;
};

}  // namespace jobstrand::persistence
