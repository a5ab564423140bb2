#include "executor/workers/worker_broker.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"
#include "schema/text/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <iterator>
#include <span>
#include <stdexcept>
#include <string>
#include <utility>

namespace jobstrand::executor {

using persistence::WorkerAnswer;
using persistence::WorkerOutcome;
using schema::Job;
using schema::JobPlace;
using schema::Transition;

namespace {

/// The scope type that Flowable's workers name when they want jobs of processes.
constexpr std::string_view kOfProcesses = "bpmn";

/// How long a job is locked that was taken back: its result follows at once.
constexpr schema::Duration kUntilResult = std::chrono::minutes(1);

void require(bool is_right, std::string_view problem) {
    if (!is_right) {
        throw std::invalid_argument(std::string(problem));
    }
}

void require_name(std::string_view name, std::size_t most, std::string_view field) {
    require(!name.empty(), fmt::format("{} is required", field));
    std::vector<std::string> problems;
    schema::check_text(field, name, most, problems);
    require(problems.empty(), problems.empty() ? "" : problems.front());
}

void require_worker(std::string_view worker) {
    require_name(worker, schema::limits::kWorkerLength, "workerId");
}

void require_lock(schema::Duration lock) {
    require(
        lock > schema::Duration::zero() && lock <= schema::limits::kWorkerLock,
        fmt::format(
            "lockDuration must be more than 0, and at most {} days",
            schema::limits::kWorkerLock.count() / 24
        )
    );
}

void require_count(std::size_t jobs) {
    require(
        jobs <= schema::limits::kJobsOfWorker,
        fmt::format("one call is about at most {} jobs", schema::limits::kJobsOfWorker)
    );
}

void require_sound(const WorkCandidate& candidate) {
    require(
        !candidate.user.empty() || !candidate.groups.empty(),
        "at least one of userId and groups must say something"
    );
    require(
        candidate.groups.size() <= schema::limits::kNamesOfList,
        fmt::format("there are at most {} groups", schema::limits::kNamesOfList)
    );
    if (!candidate.user.empty()) {
        require_name(candidate.user, schema::limits::kNameLength, "userId");
    }
    for (const std::string& group : candidate.groups) {
        require_name(group, schema::limits::kNameLength, "group");
    }
}

void require_sound(const AcquireOrder& order) {
    require_worker(order.worker);
    require(!order.topics.empty(), "topic is required");
    require(
        order.topics.size() <= schema::limits::kTopicsOfWorker,
        fmt::format("there are at most {} topics", schema::limits::kTopicsOfWorker)
    );
    for (const std::string& topic : order.topics) {
        require_name(topic, schema::limits::kNameLength, "topic");
    }
    require_lock(order.lock);
    if (order.candidate) {
        require_sound(*order.candidate);
    }
    require(
        order.jobs >= 1 && std::cmp_less_equal(order.jobs, schema::limits::kJobsOfWorker),
        fmt::format("numberOfTasks must be 1 to {}", schema::limits::kJobsOfWorker)
    );
}

persistence::WantedJobs wanted_by(const AcquireOrder& order, bool by_priority) {
    persistence::WantedJobs wanted{
        .topics = order.topics,
        .tenant = order.tenant,
        .tenants = order.tenants,
        .by_priority = order.by_priority || by_priority};
    if (order.candidate) {
        wanted.candidate = {.user = order.candidate->user, .groups = order.candidate->groups};
    }
    if (order.scope_type == kOfProcesses) {
        wanted.are_of_instances = true;
    } else if (order.scope_type) {
        wanted.scope_type = *order.scope_type;
    }
    return wanted;
}

}  // namespace

/// What is counted of a result once it is written.
struct WorkerBroker::Written {
    FinishedRun run;
    std::int64_t revision = 0;
    bool is_dead = false;
};

/// The results of one call on their way to the store.
class WorkerBroker::Writing {
public:
    Writing(
        std::string_view worker,
        std::span<const WorkResult> results,
        const schema::RetryPolicy& policy,
        schema::TimePoint now
    )
        : worker_(worker),
          results_(results),
          policy_(policy),
          now_(now),
          written_(results.size()) {}

    /// Of the result at this place.
    [[nodiscard]] WorkerOutcome outcome_of(std::size_t at) {
        const WorkResult& result = results_[at];
        const auto transition = [this, at](const Job& row) {
            Transition moved = std::visit(
                [&](const auto& what) { return transition_of(row, what); }, results_[at].what
            );
            written_[at] = Written{
                .run = run_of(row, worker_, now_, {}),
                .revision = row.revision,
                .is_dead = moved.to == schema::JobPlace::dead_letter};
            return moved;
        };
        return {
            .job = result.job,
            .transition = transition,
            .reads_payload = std::holds_alternative<WorkHandedOn>(result.what)};
    }

    /// The earliest due date of a retry, if there is one.
    [[nodiscard]] std::optional<schema::TimePoint> due() const { return due_; }

    /// Of the result at this place, to be taken once; nullopt: an earlier one was about the same
    /// job.
    [[nodiscard]] std::optional<Written> take_written(std::size_t at) {
        return std::exchange(written_[at], std::nullopt);
    }

private:
    Transition transition_of(const Job& row, const WorkCompleted&) {
        return schema::completed(row);
    }
    Transition transition_of(const Job& row, const WorkHandedOn& what) {
        return schema::handed_on(row, what.outcome(row), policy_.default_attempts);
    }
    Transition transition_of(const Job& row, const WorkFailed& what) {
        Transition transition =
            schema::failed(row, schema::cut_to_limits(what.failure), policy_, now_);
        if (transition.to == schema::JobPlace::timer && transition.due_date) {
            due_ = std::min(due_.value_or(*transition.due_date), *transition.due_date);
        }
        return transition;
    }

    const std::string_view worker_;
    const std::span<const WorkResult> results_;
    const schema::RetryPolicy& policy_;
    const schema::TimePoint now_;
    std::optional<schema::TimePoint> due_;
    std::vector<std::optional<Written>> written_;  ///< At the places of the results.
};

/// The jobs of one transaction after the other. Once there are some, what keeps the worker from
/// more does not keep it from these.
std::vector<Job> WorkerBroker::take_pages(const AcquireOrder& order, schema::TimePoint now) {
    const auto wanted = static_cast<std::size_t>(order.jobs);
    std::size_t bytes = schema::limits::kBytesOfWorker;
    std::vector<Job> jobs;
    bool is_full = true;
    while (is_full && jobs.size() < wanted && bytes > 0) {
        std::vector<Job> page;
        try {
            page = use_.store.acquire_external(
                {.owner = order.worker, .until = now + order.lock},
                wanted_by(order, use_.by_priority),
                {wanted - jobs.size(), bytes},
                now
            );
        } catch (const persistence::DbError&) {
            if (jobs.empty()) {
                throw;
            }
        }
        is_full = page.size() == schema::limits::kJobsPerTransaction;
        for (const Job& job : page) {
            bytes -= std::min(bytes, job.payload.size());
        }
        if (jobs.empty()) {
            jobs = std::move(page);  // Which is all, most often.
        } else {
            std::ranges::move(page, std::back_inserter(jobs));
        }
    }
    return jobs;
}

std::vector<Job> WorkerBroker::acquire(const AcquireOrder& order) {
    require_sound(order);
    const schema::TimePoint now = use_.clock.now();
    std::vector<Job> jobs = take_pages(order, now);
    counts_.acquired.fetch_add(jobs.size());
    if (use_.throughput != nullptr && !jobs.empty()) {
        use_.throughput->begun(jobs, now);
        begins_.add(jobs, now);
    }
    if (use_.deadlines != nullptr) {
        use_.deadlines->begun(jobs, now);
    }
    if (use_.asked != nullptr) {
        use_.asked->add(order.worker, order.topics, now);
    }
    return jobs;
}

std::vector<WorkerAnswer>
WorkerBroker::finish(std::string_view worker, std::span<const WorkResult> results) {
    require_worker(worker);
    require_count(results.size());
    const schema::TimePoint now = use_.clock.now();
    Writing writing(worker, results, policy_, now);
    std::vector<WorkerOutcome> outcomes;
    outcomes.reserve(results.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        outcomes.push_back(writing.outcome_of(i));
    }
    std::vector<WorkerAnswer> answers = use_.store.apply_external(worker, outcomes, now);
    count(results, answers, writing, now);
    if (writing.due()) {
        use_.wake_ups.timer_was_stored(*writing.due());
    }
    return answers;
}

void WorkerBroker::count(
    std::span<const WorkResult> results,
    std::span<const WorkerAnswer> answers,
    Writing& writing,
    schema::TimePoint now
) {
    bool is_any_handed_on = false;
    for (std::size_t i = 0; i < results.size(); ++i) {
        if (answers[i] != WorkerAnswer::done) {
            counts_.not_held.fetch_add(1);
            continue;
        }
        const auto* const failed = std::get_if<WorkFailed>(&results[i].what);
        if (auto written = writing.take_written(i)) {
            count_run(results[i], std::move(*written), now);
        }
        if (failed != nullptr) {
            counts_.failed.fetch_add(1);
            counts_.failure_classes.add(failed->failure.message);
        } else if (std::holds_alternative<WorkHandedOn>(results[i].what)) {
            counts_.handed_on.fetch_add(1);
            is_any_handed_on = true;
        } else {
            counts_.completed.fetch_add(1);
        }
    }
    if (is_any_handed_on) {
        use_.wake_ups.jobs_are_there();
    }
}

void WorkerBroker::count_run(const WorkResult& result, Written written, schema::TimePoint now) {
    if (use_.deadlines != nullptr) {
        use_.deadlines->ended(result.job.id);
    }
    const bool has_failed = std::holds_alternative<WorkFailed>(result.what);
    const auto began = begins_.take(result.job.id);
    FinishedRun& run = written.run;
    if (const auto news = end_of_news(result.job.id, written.revision)) {
        run.message = news->last_word();
    }
    run.duration = began ? std::optional(now - *began) : std::nullopt;
    if (use_.run_counts != nullptr) {
        use_.run_counts->add(run.handler_type, has_failed);
    }
    if (use_.throughput != nullptr) {
        use_.throughput->ended(
            run.handler_type,
            {.has_failed = has_failed, .is_dead = written.is_dead, .ran = run.duration},
            now
        );
    }
    if (use_.last_runs != nullptr && !has_failed) {
        use_.last_runs->add(std::move(run));
    }
}

void WorkerBroker::tell(const Job& row, schema::RunNews news) {
    if (use_.news != nullptr) {
        use_.news->tell(
            {.job = row.id,
             .revision = row.revision,
             .owner = row.lock_owner,
             .handler_type = row.handler_type,
             .tenant = row.tenant_id,
             .told = use_.clock.now(),
             .news = std::move(news)}
        );
    }
}

std::optional<schema::RunNews>
WorkerBroker::end_of_news(const std::string& job, std::int64_t revision) {
    return use_.news == nullptr ? std::nullopt : use_.news->end(job, revision);
}

bool WorkerBroker::take_back(std::string_view worker, std::string_view job) {
    require_worker(worker);
    const schema::TimePoint now = use_.clock.now();
    const std::string owner(worker);
    const bool is_taken =
        use_.store.take_back({.owner = owner, .until = now + kUntilResult}, job, now);
    if (is_taken) {
        counts_.not_held.fetch_sub(1);
    }
    return is_taken;
}

std::vector<WorkerAnswer> WorkerBroker::extend(
    std::string_view worker,
    std::span<const persistence::HeldJob> jobs,
    schema::Duration lock
) {
    require_worker(worker);
    require_count(jobs.size());
    require_lock(lock);
    const schema::TimePoint now = use_.clock.now();
    return use_.store.extend_external({.owner = worker, .until = now + lock}, jobs, now);
}

std::vector<WorkerAnswer>
WorkerBroker::give_back(std::string_view worker, std::span<const persistence::HeldJob> jobs) {
    require_worker(worker);
    require_count(jobs.size());
    std::vector<WorkerAnswer> answers = use_.store.release_external(worker, jobs, use_.clock.now());
    count_given_back(std::ranges::count(answers, WorkerAnswer::done));
    return answers;
}

std::int64_t
WorkerBroker::give_back_all(std::string_view worker, const std::optional<std::string>& tenant) {
    require_worker(worker);
    const auto count = use_.store.release_all_external(worker, tenant, use_.clock.now());
    count_given_back(count);
    return count;
}

void WorkerBroker::count_given_back(std::int64_t jobs) {
    counts_.given_back.fetch_add(static_cast<std::uint64_t>(jobs));
    if (jobs > 0) {
        use_.wake_ups.external_jobs_are_there();
    }
}

namespace {

constexpr schema::Duration kLookInterval = std::chrono::minutes(1);

constexpr std::size_t kPageOfHeld = schema::limits::kJobsPerTransaction;

/// After that, with the database in trouble, it looks again for those that are held.
constexpr schema::Duration kShortestWait = std::chrono::milliseconds(1);

}  // namespace

schema::Duration ExternalTimeLimits::run_once() {
    const schema::SteadyPoint steady = use_.clock.steady_now();
    if (steady >= next_look_) {
        look_for_held(use_.clock.now());
        next_look_ = steady + kLookInterval;
    }
    const schema::TimePoint now = use_.clock.now();
    const std::vector<ExternalDeadlines::Held> late = use_.deadlines.take_late(now);
    std::span<const ExternalDeadlines::Held> rest = late;
    while (!rest.empty()) {
        const auto part = rest.first(std::min(rest.size(), kPageOfHeld));
        try {
            give_up({part.begin(), part.end()}, now);
        } catch (...) {
            next_look_ = schema::SteadyPoint::min();  // They are held still, and found anew.
            throw;
        }
        rest = rest.subspan(part.size());
    }
    const auto until_look = std::chrono::ceil<schema::Duration>(next_look_ - steady);
    const auto next = use_.deadlines.next();
    return next ? std::clamp(*next - now, kShortestWait, until_look) : until_look;
}

void ExternalTimeLimits::look_for_held(schema::TimePoint now) {
    const persistence::JobFilter held{
        .fields = {persistence::is_like_one_of(
            &Job::handler_type, use_.deadlines.limits().names()
        )},
        .locked = true};
    std::vector<Job> page;
    do {
        const std::string behind = page.empty() ? std::string() : page.back().id;
        page = use_.store.list(JobPlace::external_worker, held, behind, kPageOfHeld);
        use_.deadlines.begun(page, now);
    } while (page.size() == kPageOfHeld);
}

// Whose lock has ended is not given up: its worker may have died, which uses no retry.
void ExternalTimeLimits::give_up(
    const std::vector<ExternalDeadlines::Held>& late,
    schema::TimePoint now
) {
    std::vector<std::string> ids;
    for (const ExternalDeadlines::Held& held : late) {
        ids.push_back(held.id);
    }
    const std::vector<Job> rows =
        use_.store.list(JobPlace::external_worker, {.ids = ids}, {}, ids.size());
    for (const ExternalDeadlines::Held& held : late) {
        const auto row = std::ranges::find(rows, held.id, &Job::id);
        if (row == rows.end() || row->revision != held.revision || row->lock_owner != held.worker ||
            !row->lock_expiration || *row->lock_expiration < now) {
            continue;
        }
        schema::JobFailure failure{
            .message = fmt::format(
                "worker {} did not end it within its time limit of {}",
                held.worker,
                schema::format_duration(held.limit)
            )};
        const WorkResult result{
            .job = {.id = held.id, .revision = held.revision}, .what = WorkFailed{failure}};
        (void)use_.broker.finish(held.worker, std::span(&result, 1));
    }
}

}  // namespace jobstrand::executor
