#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/wake_ups.hpp"
#include "executor/report/run_records.hpp"
#include "executor/report/throughput_counts.hpp"
#include "executor/workers/external_work.hpp"
#include "persistence/operator_store.hpp"
#include "persistence/worker_store.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/job_failure.hpp"

#include <jobstrand/job.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace jobstrand::executor {

/// What external workers have done through this node since it began. Thread safety: safe.
struct WorkerCounts {
    std::atomic<std::uint64_t> acquired{0};
    std::atomic<std::uint64_t> completed{0};
    std::atomic<std::uint64_t> handed_on{0};
    std::atomic<std::uint64_t> failed{0};
    schema::FailureClasses failure_classes;  ///< What these died of.
    std::atomic<std::uint64_t> given_back{0};
    std::atomic<std::uint64_t> not_held{0};  ///< Results that were refused.
};

/// What a worker asks for. A topic is a handler type. The public WorkOrder has what an app asks
/// for; the rest is for the paths of Flowable and Camunda.
struct AcquireOrder {
    std::string worker;
    std::vector<std::string> topics;
    schema::Duration lock{0};
    std::int64_t jobs = 1;
    std::optional<std::string> tenant = {};      ///< Only its jobs; empty: those of no tenant.
    std::vector<std::string> tenants = {};       ///< Only jobs of one of them; none: of any.
    std::optional<std::string> scope_type = {};  ///< Flowable's word: `bpmn`, `cmmn`, ...
    /// Only jobs that name the user, or one of the groups; none: whomever they name.
    std::optional<WorkCandidate> candidate = {};
    bool by_priority = false;  ///< Also where the broker does not do so anyway.
};

/// The worker has completed the job.
struct WorkCompleted {};

/// The worker has completed the job, and its result is to be forwarded to the app: the payload of a
/// job of the handler type schema::kWorkerOutcomeType, made from the job as it stands in the table.
struct WorkHandedOn {
    std::function<std::string(const schema::Job& job)> outcome;
};

/// The attempt has failed. The texts are cut to what the columns hold.
struct WorkFailed {
    schema::JobFailure failure;
};

/// What a worker says about a job that it holds.
struct WorkResult {
    persistence::HeldJob job;
    std::variant<WorkCompleted, WorkHandedOn, WorkFailed> what;
};

/// Where external workers take jobs and say what became of them. The HTTP service and C++ apps call
/// the same class.
///
/// What is asked for in a way that cannot be meant is refused with std::invalid_argument, whose
/// text names it by Flowable's word (`lockDuration`), and changes nothing. Throws DbError.
///
/// Thread safety: safe. Everything passed in must outlive it.
class WorkerBroker final {
public:
    struct Dependencies {
        persistence::WorkerStore& store;
        const schema::Clock& clock;
        const WakeUps& wake_ups;
        RunCounts* run_counts = nullptr;         ///< Of this node; null: nobody asks.
        AskedTopics* asked = nullptr;            ///< Likewise.
        ThroughputCounts* throughput = nullptr;  ///< Likewise.
        LastRuns* last_runs = nullptr;           ///< Likewise.
        RunNewsBook* news = nullptr;             ///< Likewise.
        ExternalDeadlines* deadlines = nullptr;  ///< Null: no job has a time limit.
        bool by_priority = false;                ///< The highest are taken first.
    };

    WorkerBroker(Dependencies use, schema::RetryPolicy policy)
        : use_(use), policy_(std::move(policy)) {}

    /// Free jobs, oldest first or by priority, locked for the worker from now on; fewer than were
    /// asked for when there are no more, or their payloads are long.
    [[nodiscard]] std::vector<schema::Job> acquire(const AcquireOrder& order);

    /// The answers are in the order of the results.
    [[nodiscard]] std::vector<persistence::WorkerAnswer>
    finish(std::string_view worker, std::span<const WorkResult> results);

    /// Locks a job once more whose failure the worker has reported, for a result that has just been
    /// refused and is told again: see WorkerStore::take_back.
    [[nodiscard]] bool take_back(std::string_view worker, std::string_view job);

    /// The locks end so long after now.
    [[nodiscard]] std::vector<persistence::WorkerAnswer> extend(
        std::string_view worker,
        std::span<const persistence::HeldJob> jobs,
        schema::Duration lock
    );

    /// What the run of a job, which the worker holds so, tells of itself.
    void tell(const schema::Job& row, schema::RunNews news);

    /// The jobs are free again, and no retry is used.
    [[nodiscard]] std::vector<persistence::WorkerAnswer>
    give_back(std::string_view worker, std::span<const persistence::HeldJob> jobs);

    /// Gives back all jobs of a worker, or those of one tenant. Returns how many there were.
    std::int64_t give_back_all(std::string_view worker, const std::optional<std::string>& tenant);

    [[nodiscard]] const WorkerCounts& counts() const { return counts_; }

private:
    class Writing;
    struct Written;

    [[nodiscard]] std::vector<schema::Job>
    take_pages(const AcquireOrder& order, schema::TimePoint now);

    void count(
        std::span<const WorkResult> results,
        std::span<const persistence::WorkerAnswer> answers,
        Writing& writing,
        schema::TimePoint now
    );
    void count_run(const WorkResult& result, Written written, schema::TimePoint now);
    [[nodiscard]] std::optional<schema::RunNews>
    end_of_news(const std::string& job, std::int64_t revision);
    void count_given_back(std::int64_t jobs);

    const Dependencies use_;
    const schema::RetryPolicy policy_;
    WorkerCounts counts_;
    ExternalBegins begins_;
};

/// Gives up jobs that external workers hold for longer than the time limit of their handler type:
/// the attempt has failed, and the worker does not hold the job any more, however often it prolongs
/// its lock. It looks after the jobs that were taken through this node, and after those that it
/// finds held every minute, whose time begins then: so a node that dies is made good by the others.
///
/// Thread safety: run_once() belongs to the loop's strand. Everything passed in must outlive it.
class ExternalTimeLimits final : public Activity {
public:
    struct Dependencies {
        persistence::OperatorStore& store;
        WorkerBroker& broker;
        ExternalDeadlines& deadlines;
        const schema::Clock& clock;
    };

    explicit ExternalTimeLimits(Dependencies use) : use_(use) {}

    [[nodiscard]] std::string_view name() const noexcept override {
        return "time limits of external jobs";
    }
    [[nodiscard]] schema::Duration run_once() override;

private:
    void look_for_held(schema::TimePoint now);
    void give_up(const std::vector<ExternalDeadlines::Held>& late, schema::TimePoint now);

    const Dependencies use_;
    schema::SteadyPoint next_look_ = schema::SteadyPoint::min();
};

}  // namespace jobstrand::executor
