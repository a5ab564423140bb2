#include "executor/job_runner.hpp"

#include "persistence/sql/db_error.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job_failure.hpp"
#include "schema/job_validation.hpp"
#include "schema/overloaded.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <future>
#include <string>
#include <typeinfo>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::executor {

namespace {

/// The exception and everything nested in it, innermost last.
void describe(const std::exception& error, std::string& text) {
    text += fmt::format("{}: {}\n", typeid(error).name(), error.what());
    try {
        std::rethrow_if_nested(error);
    } catch (const std::exception& nested) {
        text += "caused by ";
        describe(nested, text);
    } catch (...) {
        text += "caused by something that is not a std::exception\n";
    }
}

}  // namespace

HandlerResult result_of_exception() {
    try {
        throw;
    } catch (const persistence::DbError& error) {
        if (error.is_transient() || error.is_outage()) {
            return Interrupted{};  // The database's fault, not the job's (I5).
        }
        return Failed{.message = error.what()};
    } catch (const std::exception& error) {
        Failed failed{.message = error.what()};
        describe(error, failed.details);
        return failed;
    } catch (...) {
        return Failed{.message = "the handler threw something that is not a std::exception"};
    }
}

HandlerResult storable(HandlerResult result) {
    const auto* succeeded = std::get_if<Succeeded>(&result);
    if (succeeded == nullptr || !succeeded->payload) {
        return result;
    }
    const std::vector<std::string> problems = schema::problems_of_payload(*succeeded->payload);
    if (problems.empty()) {
        return result;
    }
    return Failed{.message = "for the next turn: " + problems.front()};
}

schema::Transition transition_after(
    const schema::Job& job,
    const HandlerResult& result,
    const schema::RetryPolicy& policy,
    schema::TimePoint now
) {
    return std::visit(
        schema::Overloaded{
            [&](const Succeeded& succeeded) { return schema::completed(job, succeeded.payload); },
            [&](const Interrupted& interrupted) {
                return schema::interrupted(job, interrupted.wait, now);
            },
            [&](const GivenBack&) { return schema::released(job); },
            // Whoever writes it all the same finds that the fence does not hold.
            [&](const EndedElsewhere&) { return schema::completed(job); },
            [&](const Failed& failed) {
                const schema::JobFailure failure = schema::cut_to_limits(
                    {.message = failed.message,
                     .details = failed.details,
                     .retryable = failed.retryable,
                     .retry_after = failed.retry_after}
                );
                return schema::failed(job, failure, policy, now);
            },
        },
        result
    );
}

namespace {

RetryDecision
decide(const RetryRule& rule, const schema::Job& job, const Failed& failure, schema::Log& log) {
    // Defended catch: a mistake of the rule must not take the job's outcome away.
    try {
        return rule(running_job_of(job), job.attempts + 1, failure);
    } catch (const std::exception& mistake) {
        log.write(
            schema::LogLevel::error,
            "the retry rule threw; the job is tried again as usual",
            {{"job", job.id}, {"error", mistake.what()}}
        );
    } catch (...) {
        log.write(
            schema::LogLevel::error,
            "the retry rule threw; the job is tried again as usual",
            {{"job", job.id}}
        );
    }
    return {};
}

}  // namespace

HandlerResult
with_rule(const RetryRule& rule, const schema::Job& job, HandlerResult result, schema::Log& log) {
    auto* const failure = std::get_if<Failed>(&result);
    if (failure == nullptr || !rule) {
        return result;
    }
    const RetryDecision decision = decide(rule, job, *failure, log);
    switch (decision.what) {
        case RetryDecision::What::as_usual:
            break;
        case RetryDecision::What::retry:
            failure->retryable = true;
            if (decision.wait) {
                failure->retry_after =
                    std::clamp(*decision.wait, schema::Duration{0}, kLongestRuledWait);
            }
            break;
        case RetryDecision::What::give_up:
            failure->retryable = false;
            break;
    }
    return result;
}

namespace {

using namespace std::chrono_literals;
using persistence::Outcome;

/// A number of lost starts that is not meant to be reached.
constexpr int kNobodySuspects = 1000;

/// Thrown and caught here only: a transaction can be left without a commit by nothing else.
struct RolledBack {};

persistence::Fence fence_of(const schema::Job& job) {
    return {.id = job.id, .revision = job.revision, .claim = job.claim};
}

Outcome outcome_of(const HeldJobPtr& held, schema::Transition transition) {
    return {
        .job = std::shared_ptr<const schema::Job>(held, &held->job),
        .transition = std::move(transition),
    };
}

/// What the run put out stands with its failure, unless the handler has told it there itself.
void add_lines(Failed& failed, const std::string& lines) {
    if (!lines.empty() && failed.details.find(lines) == std::string::npos) {
        failed.details += failed.details.empty() || failed.details.ends_with('\n') ? "" : "\n";
        failed.details += lines;
    }
}

/// The lock was made for so long.
std::optional<schema::TimePoint> locked_at(const schema::Job& job, schema::Duration lock_time) {
    return job.lock_expiration ? std::optional(*job.lock_expiration - lock_time) : std::nullopt;
}

}  // namespace

schema::Duration suspect_wait(schema::Duration lock_time, int lost_starts) {
    schema::Duration wait = std::min<schema::Duration>(10 * lock_time, 1min);
    for (int lost = 1; lost < lost_starts && wait < 1h; ++lost) {
        wait *= 4;
    }
    return std::min<schema::Duration>(wait, 1h);
}

JobRunner::JobRunner(Dependencies dependencies, Rules rules, std::string lock_owner)
    : use_(dependencies), rules_(std::move(rules)), lock_owner_(std::move(lock_owner)) {}

JobRunner::Answer JobRunner::run(const HeldJobPtr& held) const {
    const HandlerRegistry::Match match = use_.handlers.match(held->job);
    const auto* async = std::get_if<AsyncJobHandler>(match.handler.get());
    if (async != nullptr && use_.async != nullptr) {
        use_.async->wait_for_place(held->stop.get_token());
    }
    const schema::SteadyPoint now = use_.clock.steady_now();
    if (auto transition = without_run(*held, now, match)) {
        return outcome_of(held, std::move(*transition));
    }
    held->began.store(now, std::memory_order_relaxed);
    count_wait(held->job);
    held->trace_parent = spans_.next(held->job, is_watched());
    held->is_running = true;
    if (async != nullptr) {
        return begin(*async, held);
    }
    const std::optional<HandlerResult> result = call(*match.handler, held);
    if (!result || std::holds_alternative<EndedElsewhere>(*result)) {
        ended_elsewhere(*held);
        return Committed{};
    }
    return ended(held, *result);
}

bool JobRunner::is_plain(const schema::Job& job) const {
    const auto handler = use_.handlers.find(job.handler_type);
    return handler != nullptr && std::holds_alternative<JobHandler>(*handler);
}

void JobRunner::ended_elsewhere(HeldJob& held) const {
    const auto took = tell_end(held);
    (void)end_of_news(held);
    tell_watcher(held, took, {.reason = schema::TransitionReason::completed});
}

// Who has nowhere to let it run on waits for its end.
JobRunner::Answer JobRunner::begin(const AsyncJobHandler& handler, const HeldJobPtr& held) const {
    if (use_.async != nullptr) {
        JobContext context = context_for(*held);
        context.news = use_.news;
        use_.async->begin(handler, held, std::move(context));
        return UnderWay{};
    }
    std::promise<HandlerResult> promise;
    AsyncRuns one(1, [&promise](const HeldJobPtr&, HandlerResult result) {
        promise.set_value(std::move(result));
    });
    one.begin(handler, held, context_for(*held));
    const HandlerResult result = promise.get_future().get();
    if (std::holds_alternative<EndedElsewhere>(result)) {
        ended_elsewhere(*held);
        return Committed{};
    }
    return ended(held, result);
}

Outcome JobRunner::ended(const HeldJobPtr& held, const HandlerResult& result) const {
    const std::chrono::steady_clock::duration took = tell_end(*held);
    const schema::TimePoint now = use_.clock.now();
    HandlerResult ruled = storable(result);
    const std::optional<schema::RunNews> news = end_of_news(*held);
    if (auto* failed = std::get_if<Failed>(&ruled); failed != nullptr && news) {
        add_lines(*failed, news->lines);
    }
    if (rules_.retry_rule != nullptr) {
        ruled = with_rule(*rules_.retry_rule, held->job, std::move(ruled), use_.log);
    }
    Outcome outcome = outcome_of(held, transition_after(held->job, ruled, rules_.retry, now));
    outcome.duration = std::chrono::floor<schema::Duration>(took);
    outcome.ended = now;
    outcome.is_begin_counted = held->is_begin_counted.exchange(true);
    outcome.last_word = news ? news->last_word() : std::string();
    tell_watcher(*held, took, outcome.transition);
    return outcome;
}

std::chrono::steady_clock::duration JobRunner::tell_end(HeldJob& held) const {
    held.is_running = false;
    const auto took = use_.clock.steady_now() - held.began.load(std::memory_order_relaxed);
    if (use_.times != nullptr) {
        use_.times->ran.add(took);
    }
    return took;
}

std::optional<schema::RunNews> JobRunner::end_of_news(const HeldJob& held) const {
    return use_.news != nullptr && held.has_told ? use_.news->end(held.job.id, held.job.revision)
                                                 : std::nullopt;
}

void JobRunner::tell_watcher(
    const HeldJob& held,
    std::chrono::steady_clock::duration took,
    const schema::Transition& transition
) const {
    if (!is_watched()) {
        return;
    }
    const schema::TimePoint ended = use_.clock.now();
    (*use_.on_run)({
        .job = held.job,
        .trace_parent = held.trace_parent,
        .attempt = held.job.attempts + 1,
        .began = ended - std::chrono::floor<schema::Duration>(took),
        .ended = ended,
        .reason = held.is_written ? held.written_reason.load() : transition.reason,
        .error =
            transition.failure ? std::string_view(transition.failure->message) : std::string_view(),
        .locked = locked_at(held.job, rules_.lock_time),
    });
}

void JobRunner::count_wait(const schema::Job& job) const {
    const auto could_run = std::max(job.due_date, job.create_time);
    if (use_.times != nullptr && could_run) {
        use_.times->waited.add(std::max(use_.clock.now() - *could_run, schema::Duration{0}));
    }
}

bool JobRunner::is_ours(const HeldJob& held, schema::SteadyPoint now) const {
    const bool is_lease_over = use_.lease != nullptr && !use_.lease->is_held(now);
    return !held.stop.stop_requested() && now < held.lock_until.load() && !is_lease_over;
}

// What becomes of a job that is not to be run here, or not now; nullopt: it is to be run.
std::optional<schema::Transition> JobRunner::without_run(
    const HeldJob& held,
    schema::SteadyPoint now,
    const HandlerRegistry::Match& match
) const {
    const schema::Job& job = held.job;
    if (!is_ours(held, now)) {
        // One line tells of an outage or a lost lease, not one for each job.
        const bool is_news = !is_loss_told_.exchange(true);
        use_.log.write(
            is_news ? schema::LogLevel::info : schema::LogLevel::debug,
            "lock ended before the job could start; another node may run it",
            {{"job", job.id}}
        );
        return schema::released(job);
    }
    if (is_loss_told_.load(std::memory_order_relaxed)) {
        is_loss_told_ = false;
    }
    if (match.handler == nullptr) {
        return schema::released(job);  // Not mine is not failure (I7).
    }
    if (!match.lack.empty()) {
        return schema::not_served(job, match.lack);
    }
    return job.lost_starts == 0 ? std::nullopt : count_start(job);
}

// Only after a node has died with the job: the others start without a word to the database.
std::optional<schema::Transition> JobRunner::count_start(const schema::Job& job) const {
    if (job.lost_starts >= rules_.lost_starts) {
        return schema::crash_loop(job, use_.clock.now());
    }
    // Defended catch: a start that cannot be counted is put off, and the job is not at fault (I5).
    try {
        // What is lost for the last time becomes a dead letter at once, and where nothing ever does
        // nobody suspects.
        const bool waits =
            job.lost_starts + 1 < rules_.lost_starts && rules_.lost_starts < kNobodySuspects;
        const schema::Duration wait =
            waits ? suspect_wait(rules_.lock_time, job.lost_starts) : schema::Duration{0};
        const bool is_held =
            use_.store.count_start(lock_owner_, fence_of(job), use_.clock.now() + wait);
        return is_held ? std::nullopt : std::optional(schema::released(job));
    } catch (const persistence::DbError&) {
        return schema::interrupted(job, Interrupted{}.wait, use_.clock.now());
    }
}

JobContext JobRunner::context_for(HeldJob& held) const {
    JobContext context{
        .job = held.job,
        .attempt = held.job.attempts + 1,
        .deadline = {},
        .stop = held.stop.get_token(),
        .fencing_token = held.job.revision,
        .trace_parent = held.trace_parent,
        // Without a count: the run of a handler that is waited for ends before this object does.
        .news = std::shared_ptr<RunNewsBook>(std::shared_ptr<void>(), use_.news.get()),
        .run = &held,
    };
    if (rules_.time_limit > schema::Duration{0}) {
        context.deadline = use_.clock.now() + rules_.time_limit;
    }
    return context;
}

// nullopt: a transactional handler succeeded, and its completion is committed already.
std::optional<HandlerResult>
JobRunner::call(const HandlerRegistry::Handler& handler, const HeldJobPtr& held) const {
    try {
        return std::visit(
            schema::Overloaded{
                [&](const JobHandler& plain) -> std::optional<HandlerResult> {
                    return plain(context_for(*held));
                },
                [&](const TransactionalJobHandler& transactional) {
                    return call_in_transaction(transactional, held);
                },
                [](const AsyncJobHandler&) -> std::optional<HandlerResult> {
                    return std::nullopt;  // See begin().
                },
            },
            handler
        );
    } catch (...) {
        return result_of_exception();
    }
}

std::optional<HandlerResult> JobRunner::call_in_transaction(
    const TransactionalJobHandler& handler,
    const HeldJobPtr& held
) const {
    const JobContext context = context_for(*held);
    const persistence::Fence fence = fence_of(held->job);
    HandlerResult result;
    try {
        use_.store.in_transaction(
            [&](persistence::Transaction& transaction) {
                // A connection, or SQLite's writer, may have come after the end of the lock.
                if (!is_ours(*held, use_.clock.steady_now())) {
                    result = Interrupted{};
                    throw RolledBack{};
                }
                result = storable(handler(context, transaction));
                if (!std::holds_alternative<Succeeded>(result)) {
                    throw RolledBack{};
                }
                const schema::TimePoint now = use_.clock.now();
                Outcome success =
                    outcome_of(held, transition_after(held->job, result, rules_.retry, now));
                success.duration = std::chrono::floor<schema::Duration>(
                    use_.clock.steady_now() - held->began.load(std::memory_order_relaxed)
                );
                success.ended = now;
                const auto answer = use_.store.apply(transaction, lock_owner_, success);
                if (answer != persistence::OutcomeAnswer::done) {
                    result = Interrupted{};  // The fence will discard it: the lock is lost.
                    throw RolledBack{};
                }
            },
            [&](persistence::Transaction& transaction) {
                return !use_.store.is_held(transaction, lock_owner_, fence);
            }
        );
    } catch (const RolledBack&) {
        return result;
    }
    return std::nullopt;
}

}  // namespace jobstrand::executor
