#pragma once

#include "executor/loop/activity.hpp"
#include "executor/pool/held_jobs.hpp"
#include "persistence/outcome.hpp"
#include "persistence/run_store.hpp"
#include "schema/clock.hpp"
#include "schema/job_events.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::executor {

/// What is known of a run of this job that succeeded, without an id.
[[nodiscard]] FinishedRun run_of(
    const schema::Job& job,
    std::string_view node,
    schema::TimePoint ended,
    std::optional<schema::Duration> took
);

/// The runs that have succeeded here since they were last taken; of each handler type the last few.
/// So they cost by the page, not by the job, and a type whose runs are few is kept whole.
///
/// Thread safety: safe; when_added() comes before the first run.
class LastRuns final {
public:
    static constexpr std::size_t kTypes = 200;  ///< Runs of further ones are passed over.
    static constexpr std::size_t kOfType = 20;

    /// 0: none are kept.
    explicit LastRuns(std::size_t of_type = kOfType) : of_type_(of_type) {}

    /// Called for the first run since the last take(). It must not block.
    void when_added(std::function<void()> wake) { wake_ = std::move(wake); }

    /// What was written of a node's runs, and how that was answered. Those that did not succeed,
    /// or that were no runs, are passed over.
    void add(
        std::span<const persistence::Outcome> outcomes,
        std::span<const persistence::OutcomeAnswer> answers,
        std::string_view node
    );
    void add(FinishedRun run);

    /// Takes the runs, in the order in which they ended.
    [[nodiscard]] std::vector<FinishedRun> take();

private:
    void keep(std::vector<FinishedRun> runs);

    const std::size_t of_type_;
    std::function<void()> wake_;

    // Guarded by mutex_.
    std::mutex mutex_;
    std::map<std::string, std::deque<FinishedRun>, std::less<>> by_type_;
};

/// Writes down the last runs: at once after a quiet time, and then once a second, as long as there
/// are any. Those that the database does not take are dropped, so that nothing waits for it.
///
/// Thread safety: run_once() belongs to the loop's strand; write() comes when that has ended.
class RunWriting final : public Activity {
public:
    RunWriting(
        persistence::RunStore& store,
        LastRuns& runs,
        const schema::Clock& clock,
        schema::Log& log
    )
        : store_(store), runs_(runs), clock_(clock), log_(log) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "last runs"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// What there is, in one transaction. false: there is nothing. Throws DbError.
    bool write();

private:
    persistence::RunStore& store_;
    LastRuns& runs_;
    const schema::Clock& clock_;
    schema::Log& log_;
    schema::SteadyPoint next_ = schema::SteadyPoint::min();
    std::size_t dropped_ = 0;  ///< Not told yet.
};

/// What runs under way have told here, until it is written down. A run that tells nothing costs
/// nothing, and of one that ends within the second nothing is written.
///
/// Thread safety: safe.
class RunNewsBook final {
public:
    /// Runs that may tell something at once. What further ones tell is passed over.
    static constexpr std::size_t kMost = 2'000;

    /// An external worker that tells nothing for so long is forgotten: its job may have gone
    /// elsewhere.
    static constexpr schema::Duration kLasts = std::chrono::minutes(10);

    /// `owner`: of the runs of this node.
    explicit RunNewsBook(std::string owner) : owner_(std::move(owner)) {}

    /// Called for the first news since the last take(). It must not block.
    void when_told(std::function<void()> wake);

    /// A run of this node is so far. Of a run that has ended it is passed over.
    void progress(HeldJob& held, double part, std::string_view note);
    /// Adds output of the run, in whole lines or not.
    void log(HeldJob& held, std::string_view text);

    /// Stores all that a run of an external worker has reported.
    void tell(persistence::ToldRun run);

    /// The run has ended: what it told.
    [[nodiscard]] std::optional<schema::RunNews> end(const std::string& job, std::int64_t revision);

    struct Page {
        std::vector<persistence::ToldRun> told = {};
        std::vector<persistence::ToldRun> ended = {};

        [[nodiscard]] bool is_empty() const { return told.empty() && ended.empty(); }
    };

    /// What is to be written now. What others than nodes told is as old as `told` says.
    [[nodiscard]] Page take(schema::TimePoint now);

    /// The page could not be written: it is part of the next one, as far as the runs still are and
    /// have told nothing newer. Of kMost ended runs at most, the oldest.
    void put_back(const Page& page);

    /// Ignores all further reports and wakes nobody any more, because runs may outlive their
    /// executor.
    void close();

private:
    struct Entry {
        persistence::ToldRun run;
        bool is_fresh = true;     ///< It is to be written.
        bool is_written = false;  ///< There is a row.
        bool is_of_worker = false;
    };

    void change(HeldJob& held, const std::function<void(schema::RunNews&)>& set);
    [[nodiscard]] Entry* entry_of(const std::string& job, std::int64_t revision);
    void forget_silent_workers(schema::TimePoint now);
    void wake();

    const std::string owner_;
    std::atomic<std::size_t> count_{0};  ///< Of the entries.

    // Guarded by mutex_.
    std::mutex mutex_;
    std::function<void()> wake_;
    std::map<std::string, Entry, std::less<>> entries_;  ///< By job.
    std::vector<persistence::ToldRun> ended_;
    bool has_news_ = false;
    bool is_closed_ = false;
};

/// Writes down what runs tell: at once after a quiet time, and then once a second, as long as there
/// is something. What the database does not take is tried again, as it then is.
/// Every minute it removes what is left of runs that nobody has any more.
///
/// Thread safety: run_once() belongs to the loop's strand; write() comes when that has ended.
class RunNewsWriting final : public Activity {
public:
    RunNewsWriting(persistence::RunNewsStore& store, RunNewsBook& book, const schema::Clock& clock)
        : store_(store), book_(book), clock_(clock) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "news of runs"; }
    [[nodiscard]] schema::Duration run_once() override;

    /// What there is, in one transaction. false: there is nothing. Throws DbError; what was not
    /// written is kept for the next call.
    bool write();

private:
    persistence::RunNewsStore& store_;
    RunNewsBook& book_;
    const schema::Clock& clock_;
    schema::SteadyPoint next_ = schema::SteadyPoint::min();
    schema::SteadyPoint next_cleaning_ = schema::SteadyPoint::min();
};

}  // namespace jobstrand::executor
