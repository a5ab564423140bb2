#include "tools/operations/explain/job_reasons.hpp"

#include "tools/operations/job/job_state.hpp"
#include "tools/text/printable.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace jobstrand::cli {

using persistence::Node;
using schema::Job;
using schema::JobPlace;

namespace {

[[nodiscard]] std::string ready_nodes(const Telling& t) {
    return fmt::format("{} living nodes take it, with idle workers", t.nodes.idle.size());
}

}  // namespace

Words describe_not_found(const Telling& t) {
    if (t.facts.is_a_series) {
        return {
            "the job has run: it was the first turn of the series of this name",
            fmt::format("jobstrand series show {} tells the next turn", t.id())};
    }
    return {
        "there is no such job: it has been done (a job that succeeds leaves no row), was removed, "
        "or its transaction was never committed",
        "jobstrand audit ls tells who has removed jobs"};
}

Words describe_dead_letter(const Telling& t) {
    const Job& job = t.job();
    const std::string since =
        job.failed_time ? " since " + t.when(*job.failed_time) : std::string();
    const std::string cause =
        job.exception_message.empty() ? "it does not say why" : job.exception_message;
    Words words{
        fmt::format("it is a dead letter{}: {}", since, cause),
        fmt::format(
            "mend the cause (jobstrand dead show {0} has the details), then jobstrand dead requeue "
            "{0}",
            t.id()
        )};
    if (!t.facts.key_holder.empty()) {
        words.advice += fmt::format(
            "; job {} has its unique key now, and has to end first",
            quoted_if_needed(t.facts.key_holder)
        );
    }
    return words;
}

Words describe_running(const Telling& t) {
    return {
        fmt::format(
            "it runs on {} since {}; its lock lasts until {}, and is renewed",
            holder_name(t.job().lock_owner),
            t.when(t.facts.running_since),
            t.lock_end()
        ),
        fmt::format("to take it away: jobstrand job cancel {} --reason TEXT", t.id())};
}

Words describe_held(const Telling& t) {
    const Node& node = *t.nodes.owner;
    return {
        fmt::format(
            "{} has it: it waits there in the queue, or has just started ({} of {} workers run)",
            holder_name(t.job().lock_owner),
            node.load.running,
            node.load.workers
        ),
        "ask again in some seconds: a node tells of a run when it has lasted a third of its lease"};
}

Words describe_held_by_worker(const Telling& t) {
    return {
        fmt::format(
            "the external worker {} has it until {}",
            quoted_if_needed(t.job().lock_owner),
            t.lock_end()
        ),
        "if it has not ended the job by then, the next worker that asks gets it"};
}

Words describe_suspended(const Telling& t) {
    if (t.facts.suspended_by.empty()) {
        return {
            "it is suspended, by nobody that these tables know: another engine may have done it",
            "activate it there"};
    }
    std::vector<std::string> causes;
    std::vector<std::string> ends;
    for (const persistence::Suspension& suspension : t.facts.suspended_by) {
        causes.push_back(in_words(suspension));
        ends.push_back(end_of(suspension));
    }
    return {fmt::format("{}", fmt::join(causes, "; ")), fmt::format("{}", fmt::join(ends, "; "))};
}

Words describe_not_due(const Telling& t) {
    const Job& job = t.job();
    std::string text = fmt::format("it is not due before {}", t.when(job.due_date));
    if (job.attempts > 0) {
        text = fmt::format(
            "its next attempt is due at {}; attempt {} failed: {}",
            t.when(job.due_date),
            job.attempts,
            job.exception_message.empty() ? "it did not say why" : job.exception_message
        );
    }
    const bool is_timer = t.facts.placed->place == JobPlace::timer;
    return {
        std::move(text),
        is_timer ? fmt::format("to run it now: jobstrand timer fire {}", t.id()) : std::string()};
}

Words describe_external_worker(const Telling& t) {
    return {
        fmt::format(
            "it waits for an external worker that asks for {}",
            quoted_if_needed(t.job().handler_type)
        ),
        "start a worker for it, or see its log; no node runs such jobs"};
}

Words describe_workers_busy(const Telling& t) {
    std::size_t workers = 0;
    for (const Node* node : t.nodes.in_scope) {
        workers += node->load.workers;
    }
    return {
        fmt::format(
            "all {} workers of the {} nodes that take it are busy, as they last told",
            workers,
            t.nodes.in_scope.size()
        ),
        "it runs when one is free; more nodes, or a higher maxPoolSize, make that sooner"};
}

Words describe_overdue_timer(const Telling& t) {
    return {
        fmt::format(
            "it is due since {}; nodes fetch due timers as they have room, the earliest first",
            t.when(t.job().due_date)
        ),
        t.nodes.idle.empty() ? "" : ready_nodes(t) + ": it runs soon"};
}

Words describe_free_job(const Telling& t) {
    return {"nothing is in its way: a node takes it at its next look", ready_nodes(t)};
}

}  // namespace jobstrand::cli
