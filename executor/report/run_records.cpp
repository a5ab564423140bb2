#include "executor/report/run_records.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/text/utf8.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <iterator>
#include <utility>
#include <vector>

namespace jobstrand::executor {

using persistence::Outcome;
using persistence::OutcomeAnswer;
using persistence::ToldRun;
using schema::RunNews;

namespace {

bool is_success(const Outcome& outcome, OutcomeAnswer answer) {
    return outcome.ended && outcome.transition.reason == schema::TransitionReason::completed &&
           answer == OutcomeAnswer::done;
}

}  // namespace

FinishedRun run_of(
    const schema::Job& job,
    std::string_view node,
    schema::TimePoint ended,
    std::optional<schema::Duration> took
) {
    FinishedRun run{
        .ended = ended,
        .job = job.id,
        .handler_type = job.handler_type,
        .process_instance_id = job.process_instance_id,
        .tenant_id = job.tenant_id,
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
    std::vector<FinishedRun> runs;
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

void LastRuns::add(FinishedRun run) {
    if (of_type_ > 0) {
        std::vector<FinishedRun> one;
        one.push_back(std::move(run));
        keep(std::move(one));
    }
}

void LastRuns::keep(std::vector<FinishedRun> runs) {
    bool is_first = false;
    {
        const std::lock_guard lock(mutex_);
        const bool was_empty = by_type_.empty();
        for (FinishedRun& run : runs) {
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

std::vector<FinishedRun> LastRuns::take() {
    decltype(by_type_) taken;
    {
        const std::lock_guard lock(mutex_);
        taken.swap(by_type_);
    }
    std::vector<FinishedRun> runs;
    for (auto& [type, of_type] : taken) {
        std::ranges::move(of_type, std::back_inserter(runs));
    }
    std::ranges::stable_sort(runs, {}, &FinishedRun::ended);
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
    const std::vector<FinishedRun> runs = runs_.take();
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

void RunNewsBook::progress(HeldJob& held, double part, std::string_view note) {
    change(held, [part, note](RunNews& news) {
        news.progress = std::isnan(part) ? std::nullopt : std::optional(std::clamp(part, 0.0, 1.0));
        news.set_note(note);
    });
}

void RunNewsBook::log(HeldJob& held, std::string_view text) {
    if (!text.empty()) {
        change(held, [text](RunNews& news) { news.add_text(text); });
    }
}

void RunNewsBook::change(HeldJob& held, const std::function<void(RunNews&)>& set) {
    const std::lock_guard lock(mutex_);
    // In this order: whoever ends the run sees one of the two.
    held.has_told = true;
    Entry* const entry = held.is_running ? entry_of(held.job.id, held.job.revision) : nullptr;
    if (entry == nullptr) {
        return;
    }
    if (entry->run.owner.empty()) {
        entry->run.owner = owner_;
        entry->run.handler_type = held.job.handler_type;
        entry->run.tenant = held.job.tenant_id;
    }
    set(entry->run.news);
    entry->is_fresh = true;
    wake();
}

void RunNewsBook::tell(ToldRun run) {
    const std::lock_guard lock(mutex_);
    if (Entry* const entry = entry_of(run.job, run.revision)) {
        entry->run = std::move(run);
        entry->is_fresh = true;
        entry->is_of_worker = true;
        wake();
    }
}

// Under the lock, so that nobody is woken who is gone.
void RunNewsBook::wake() {
    if (!std::exchange(has_news_, true) && wake_) {
        wake_();
    }
}

void RunNewsBook::when_told(std::function<void()> wake) {
    const std::lock_guard lock(mutex_);
    wake_ = std::move(wake);
}

void RunNewsBook::close() {
    const std::lock_guard lock(mutex_);
    is_closed_ = true;
    wake_ = {};
    entries_.clear();
    count_ = 0;
}

// nullptr: too many runs tell something.
RunNewsBook::Entry* RunNewsBook::entry_of(const std::string& job, std::int64_t revision) {
    auto found = entries_.find(job);
    if (found == entries_.end()) {
        if (is_closed_ || entries_.size() >= kMost) {
            return nullptr;
        }
        found = entries_.try_emplace(job).first;
        count_ = entries_.size();
    } else if (found->second.run.revision != revision) {
        // The row is taken over.
        const bool is_written = found->second.is_written;
        found->second = {};
        found->second.is_written = is_written;
    }
    found->second.run.job = job;
    found->second.run.revision = revision;
    return &found->second;
}

std::optional<RunNews> RunNewsBook::end(const std::string& job, std::int64_t revision) {
    if (count_ == 0) {
        return std::nullopt;
    }
    const std::lock_guard lock(mutex_);
    const auto found = entries_.find(job);
    if (found == entries_.end() || found->second.run.revision > revision) {
        return std::nullopt;
    }
    // One of an earlier run is left over: that one was not ended here.
    const Entry entry = std::move(found->second);
    entries_.erase(found);
    count_ = entries_.size();
    if (entry.is_written) {
        ended_.push_back({.job = job, .revision = entry.run.revision});
        wake();
    }
    if (entry.run.revision != revision) {
        return std::nullopt;
    }
    RunNews news = entry.run.news;
    news.lines = schema::last_bytes(news.lines, RunNews::kBytesOfLines);
    return news;
}

RunNewsBook::Page RunNewsBook::take(schema::TimePoint now) {
    Page page;
    const std::lock_guard lock(mutex_);
    has_news_ = false;
    page.ended = std::exchange(ended_, {});
    for (auto& [job, entry] : entries_) {
        if (!entry.is_fresh) {
            continue;
        }
        entry.run.told = now;
        entry.is_fresh = false;
        entry.is_written = true;
        ToldRun& told = page.told.emplace_back(entry.run);
        told.news.lines = schema::last_bytes(told.news.lines, RunNews::kBytesOfLines);
    }
    forget_silent_workers(now);
    return page;
}

void RunNewsBook::put_back(const Page& page) {
    const std::lock_guard lock(mutex_);
    for (const ToldRun& told : page.told) {
        const auto found = entries_.find(told.job);
        if (found != entries_.end() && found->second.run.revision == told.revision) {
            found->second.is_fresh = true;
        }
    }
    ended_.insert(ended_.begin(), page.ended.begin(), page.ended.end());
    ended_.resize(std::min(ended_.size(), kMost));
}

// Their rows stay until RunNewsStore::forget_news() finds that nobody has the jobs.
void RunNewsBook::forget_silent_workers(schema::TimePoint now) {
    std::erase_if(entries_, [now](const auto& one) {
        return one.second.is_of_worker && one.second.run.told < now - kLasts;
    });
    count_ = entries_.size();
}

namespace {

/// Between two looks for what is left over, and how old that is at least.
constexpr schema::Duration kLeftOverInterval = std::chrono::minutes(1);

}  // namespace

schema::Duration RunNewsWriting::run_once() {
    const schema::SteadyPoint now = clock_.steady_now();
    if (now >= next_cleaning_) {
        next_cleaning_ = now + kLeftOverInterval;
        store_.forget_news(clock_.now() - kLeftOverInterval);
    }
    if (now < next_) {
        return std::chrono::ceil<schema::Duration>(next_ - now);
    }
    if (!write()) {
        return std::chrono::ceil<schema::Duration>(next_cleaning_ - now);
    }
    next_ = now + kWriteInterval;
    return kWriteInterval;
}

bool RunNewsWriting::write() {
    const RunNewsBook::Page page = book_.take(clock_.now());
    if (page.is_empty()) {
        return false;
    }
    try {
        store_.write_news(page.told, page.ended);
    } catch (const persistence::DbError&) {
        book_.put_back(page);
        throw;
    }
    return true;
}

}  // namespace jobstrand::executor
