#pragma once

#include "persistence/enqueuer_store.hpp"
#include "persistence/history/history_book.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "schema/clock.hpp"
#include "schema/concurrency.hpp"
#include "schema/job_definition.hpp"
#include "schema/log.hpp"
#include "schema/series.hpp"
#include "schema/time.hpp"
#include "schema/uuid7.hpp"

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

/// The job definitions that this store goes by, as it has last read them. Thread safety: safe.
class DefinitionBook final {
public:
    /// nullptr: they have to be read. Of those who ask for what has grown old, one reads, and the
    /// others go by the old one meanwhile.
    [[nodiscard]] KnownDefinitions current(schema::SteadyPoint now) {
        const std::lock_guard lock(mutex_);
        if (known_ && now >= read_again_at_) {
            read_again_at_ = now + kDefinitionsAge;
            return nullptr;
        }
        return known_;
    }

    /// To be asked before the reading; see replace.
    [[nodiscard]] std::uint64_t changes() const {
        const std::lock_guard lock(mutex_);
        return changes_;
    }

    /// What was read is returned, and kept unless this process has changed something since.
    KnownDefinitions
    replace(schema::JobDefinitions definitions, schema::SteadyPoint now, std::uint64_t changes) {
        auto read = std::make_shared<const schema::JobDefinitions>(std::move(definitions));
        const std::lock_guard lock(mutex_);
        if (changes == changes_) {
            known_ = read;
            read_again_at_ = now + kDefinitionsAge;
        }
        return read;
    }

    /// Something was changed: the next one who asks has to read.
    void forget() {
        const std::lock_guard lock(mutex_);
        ++changes_;
        known_ = nullptr;
    }

    /// What counts where no row says anything about it. Before the first use.
    void configure(std::vector<schema::JobDefinition> definitions) {
        configured_ = std::move(definitions);
    }
    [[nodiscard]] const std::vector<schema::JobDefinition>& configured() const {
        return configured_;
    }

private:
    std::vector<schema::JobDefinition> configured_;  ///< Constant after the first use.

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    KnownDefinitions known_;
    schema::SteadyPoint read_again_at_{};
    std::uint64_t changes_ = 0;
};

/// The limits that this store goes by, as it has last read them. Thread safety: safe.
class LimitBook final {
public:
    [[nodiscard]] std::shared_ptr<const schema::JobLimits> current() const {
        if (!are_any_) {
            return none_;
        }
        const std::lock_guard lock(mutex_);
        return limits_;
    }

    /// Whether one of them counts such a job. Asked for each job that is taken: where there are no
    /// limits, it shares nothing with other threads.
    [[nodiscard]] bool meet(const schema::Job& job) const {
        return are_any_ && current()->meets(job);
    }

    void replace(schema::JobLimits limits) {
        const bool are_any = !limits.are_none();
        {
            const std::lock_guard lock(mutex_);
            limits_ = std::make_shared<const schema::JobLimits>(std::move(limits));
        }
        are_any_ = are_any;
    }

private:
    const std::shared_ptr<const schema::JobLimits> none_ =
        std::make_shared<const schema::JobLimits>();
    std::atomic<bool> are_any_{false};  ///< So that without limits nobody waits for the mutex.

    // Guarded by mutex_.
    mutable std::mutex mutex_;
    std::shared_ptr<const schema::JobLimits> limits_ = none_;
};

/// Lets the claims of one process that meet the same groups of exclusive jobs follow each other.
///
/// A node that claims two pages at a time finds jobs of one group in both. The database would let
/// the second one wait for the group's row, and then roll back with all that it has read. Behind
/// the first one it counts its jobs of the group to the others. What other processes do, the
/// database alone decides.
///
/// Thread safety: safe.
class GroupTurns final {
public:
    /// Waits until no other turn has one of these groups, but not longer than a second. Then they
    /// are the caller's until it drops what this returns.
    [[nodiscard]] std::shared_ptr<const void> wait_for(std::span<const std::string_view> groups);

private:
    class Turn;

    std::mutex mutex_;
    std::condition_variable ended_;
    std::set<std::string, std::less<>> taken_;  ///< Guarded by mutex_.
};

/// What every operation of the store works with; all of it is safe for all threads.
struct StoreContext {
    TransactionRunner& runner;
    schema::Log& log;
    const schema::SeriesSchedule& schedule;
    const schema::Clock& clock;  ///< For moves that are given no time.
    schema::FreshIds& ids;
    LimitBook& limits;
    HistoryBook& history;
    DefinitionBook& definitions;
    GroupTurns& turns;
    schema::ExclusiveOver exclusive_over = schema::ExclusiveOver::instance;
};

}  // namespace jobstrand::persistence
