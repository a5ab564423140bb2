#pragma once

#include "executor/loop/activity.hpp"
#include "persistence/outcome.hpp"
#include "persistence/run_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "schema/time.hpp"

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::executor {

/// What is known of a run of this job that succeeded, without an id.
[[nodiscard]] persistence::EndedRun run_of(
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
    void add(persistence::EndedRun run);

    /// Takes the runs, in the order in which they ended.
    [[nodiscard]] std::vector<persistence::EndedRun> take();

private:
    void keep(std::vector<persistence::EndedRun> runs);

    const std::size_t of_type_;
    std::function<void()> wake_;

    // Guarded by mutex_.
    std::mutex mutex_;
    std::map<std::string, std::deque<persistence::EndedRun>, std::less<>> by_type_;
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

}  // namespace jobstrand::executor
