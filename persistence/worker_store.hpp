#pragma once

#include "persistence/claim_request.hpp"
#include "schema/job.hpp"
#include "schema/job_transition.hpp"

#include <jobstrand/change_answer.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// For whom a worker asks: it gets the jobs that name the user, or one of the groups, among their
/// candidates, and those that name nobody are not among them. Borrows the texts.
struct WantedCandidate {
    std::string_view user = {};  ///< Empty: nobody.
    std::span<const std::string> groups = {};
};

/// Which external jobs a worker wants: all that is set must match. Borrows the texts.
struct WantedJobs {
    std::span<const std::string> topics;  ///< Handler types.
    std::optional<std::string_view> tenant = {};
    std::span<const std::string> tenants = {};  ///< One of them; none: of any.
    std::optional<std::string_view> scope_type = {};
    std::optional<WantedCandidate> candidate = {};  ///< None: whomever they name.
    bool are_of_instances = false;                  ///< Only jobs of process instances.
    bool by_priority = false;                       ///< The highest first, and not the oldest.
};

/// A job as its worker names it. Without a revision, whatever a worker of this name holds counts.
/// The public HeldWork has a token of any size; here it fits its column.
struct HeldJob {
    std::string id;
    std::optional<int> revision = {};

    bool operator==(const HeldJob&) const = default;
};

/// What became of the work on a job.
struct WorkerOutcome {
    HeldJob job;

    /// Where the row, as it stands in the table, goes now; see schema/job_transition. Called once
    /// for each try of the transaction, with the payload where `reads_payload`. The row must leave
    /// the place.
    std::function<schema::Transition(const schema::Job& row)> transition;
    bool reads_payload = false;
};

using WorkerAnswer = WorkAnswer;

/// What external workers need of the store: jobs in the external place, and where to write what
/// became of them. A worker is known by its name alone, which is its lock owner.
///
/// A lock that has ended frees its job for whoever acquires next, and uses no retry (I5). Until
/// somebody does, its holder may still write; but not about an exclusive job (I4).
///
/// See Transactions for what holds for all roles.
class WorkerStore {
public:
    virtual ~WorkerStore() = default;

    /// Locks up to `limit` free jobs that are wanted, oldest id first (of the highest priority, if
    /// so wanted: then all that are wanted are sorted), and returns them with the
    /// lock and the raised revision. Of a group of exclusive jobs (schema::exclusive_group) it
    /// takes one, and none while anybody, node or worker, holds the group (I4). Jobs of what is
    /// suspended move to the suspended place instead. Empty: nothing to do.
    [[nodiscard]] virtual std::vector<schema::Job> acquire_external(
        const LockClaim& claim,
        const WantedJobs& wanted,
        PageLimit limit,
        schema::TimePoint now
    ) = 0;

    /// Writes what became of jobs, however many, page by page; each page is a transaction. Answers
    /// are in the order of the outcomes; of two about one job the first counts, for both.
    [[nodiscard]] virtual std::vector<WorkerAnswer> apply_external(
        std::string_view worker,
        std::span<const WorkerOutcome> outcomes,
        schema::TimePoint now
    ) = 0;

    /// Locks a job once more that nobody has taken since the worker of the claim has reported its
    /// failure, wherever it waits for its next attempt, or as a dead letter. false: there is none,
    /// or the job log does not say so. Not an exclusive job (I4), nor one that is suspended.
    [[nodiscard]] virtual bool
    take_back(const LockClaim& claim, std::string_view id, schema::TimePoint now) = 0;

    /// Moves the expiry of held locks to that of the claim; REV_ stays.
    [[nodiscard]] virtual std::vector<WorkerAnswer> extend_external(
        const LockClaim& claim,
        std::span<const HeldJob> jobs,
        schema::TimePoint now
    ) = 0;

    /// Gives jobs back that were not worked on: they are free at once, and no retry is used (I5).
    [[nodiscard]] virtual std::vector<WorkerAnswer> release_external(
        std::string_view worker,
        std::span<const HeldJob> jobs,
        schema::TimePoint now
    ) = 0;

    /// Releases all jobs of a worker, or those of one tenant if `tenant` is given. Returns how many
    /// there were.
    virtual std::int64_t release_all_external(
        std::string_view worker,
        const std::optional<std::string_view>& tenant,
        schema::TimePoint now
    ) = 0;
};

}  // namespace jobstrand::persistence
