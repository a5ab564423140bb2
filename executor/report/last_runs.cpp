#include "executor/report/last_runs.hpp"

#include "persistence/sql/db_error.hpp"

#include <algorithm>
#include <chrono>
#include <iterator>
#include <utility>
#include <vector>

namespace jobstrand::executor {

namespace {

using persistence::EndedRun;
using persistence::Outcome;
using persistence::OutcomeAnswer;

bool is_success(const Outcome& outcome, OutcomeAnswer answer) {
    return outcome.ended && outcome.transition.reason == schema::TransitionReason::completed &&
           answer == OutcomeAnswer::done;
}

}  // namespace

EndedRun run_of(
    const schema::Job& job,
    std::string_view node,
    schema::TimePoint ended,
    std::optional<schema::Duration> took
) {
    EndedRun run{
        .ended = ended,
        .job = job.id,
        .handler_type = job.handler_type,
        .tenant = job.tenant_id,
        .instance = job.process_instance_id,
        .node = std::string(node),
        .attempt = job.attempts + 1,
        .duration = took,
    };
    const auto could_run = std::max(job.due_date, job.create_time);
    if (took && could_run) {
        run.waited = std::max(ended - *took - *could_run, schema::Duration{0});
    }
    return run;
}

void LastRuns::add(
    std::span<const Outcome> outcomes,
    std::span<const OutcomeAnswer> answers,
    std::string_view node
) {
    if (of_type_ == 0) {
        return;
    }
    // Backwards: what would be pushed out by later ones is not copied. Neighbours are often of one
    // type: then none is looked for.
    std::map<std::string_view, std::size_t> counts;
    auto last = counts.end();
    std::vector<EndedRun> runs;
    for (std::size_t i = outcomes.size(); i-- > 0;) {
        const Outcome& outcome = outcomes[i];
        if (!is_success(outcome, answers[i])) {
            continue;
        }
        const std::string_view type = outcome.job->handler_type;
        if (last == counts.end() || last->first != type) {
            last = counts.try_emplace(type).first;
        }
        if (last->second < of_type_) {
            ++last->second;
            runs.push_back(run_of(*outcome.job, node, *outcome.ended, outcome.duration));
            runs.back().message = outcome.last_word;
        }
    }
    std::ranges::reverse(runs);
    keep(std::move(runs));
}

void LastRuns::add(EndedRun run) {
    if (of_type_ > 0) {
        std::vector<EndedRun> one;
        one.push_back(std::move(run));
        keep(std::move(one));
    }
}

void LastRuns::keep(std::vector<EndedRun> runs) {
    bool is_first = false;
    {
        const std::lock_guard lock(mutex_);
        const bool was_empty = by_type_.empty();
        for (EndedRun& run : runs) {
            auto found = by_type_.find(run.handler_type);
            if (found == by_type_.end()) {
                if (by_type_.size() == kTypes) {
                    continue;
                }
                found = by_type_.try_emplace(run.handler_type).first;
            }
            found->second.push_back(std::move(run));
            if (found->second.size() > of_type_) {
                found->second.pop_front();
            }
        }
        is_first = was_empty && !by_type_.empty();
    }
    if (is_first && wake_) {
        wake_();
    }
}

std::vector<EndedRun> LastRuns::take() {
    decltype(by_type_) taken;
    {
        const std::lock_guard lock(mutex_);
        taken.swap(by_type_);
    }
    std::vector<EndedRun> runs;
    for (auto& [type, of_type] : taken) {
        std::ranges::move(of_type, std::back_inserter(runs));
    }
    std::ranges::stable_sort(runs, {}, &EndedRun::ended);
    return runs;
}

namespace {

/// Between two transactions.
constexpr schema::Duration kWriteInterval = std::chrono::seconds(1);

}  // namespace

schema::Duration RunWriting::run_once() {
    const schema::SteadyPoint now = clock_.steady_now();
    if (now < next_) {
        return std::chrono::ceil<schema::Duration>(next_ - now);
    }
    if (write()) {
        next_ = now + kWriteInterval;
    }
    return kUntilWoken;
}

bool RunWriting::write() {
    const std::vector<persistence::EndedRun> runs = runs_.take();
    if (runs.empty()) {
        return false;
    }
    try {
        store_.add_runs(runs);
    } catch (const persistence::DbError&) {
        dropped_ += runs.size();
        throw;
    }
    if (const std::size_t dropped = std::exchange(dropped_, 0); dropped > 0) {
        log_.write(
            schema::LogLevel::warn,
            "runs that ended while the database took none are missing among the last ones",
            {{"runs", dropped}}
        );
    }
    return true;
}

}  // namespace jobstrand::executor
