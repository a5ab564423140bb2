#pragma once

#include "deadletter/dead_letter_policies.hpp"
#include "deadletter/history_admin.hpp"
#include "persistence/operator_store.hpp"
#include "schema/clock.hpp"
#include "schema/text/time_text.hpp"

#include <chrono>
#include <string>
#include <unordered_set>
#include <vector>

namespace jobstrand::deadletter {

/// What a policy works with.
struct PolicyParts {
    persistence::OperatorStore& store;
    AuditTrail& audit;
    const schema::Clock& clock;
    std::string node;  ///< Who, for the audit.
};

/// Requeues the dead letters of one rule. A pass reads at most 10,000 of those that its rule may
/// mean, and the next one goes on behind them. What it requeues is written down in the audit, as an
/// operator's requeue; several nodes may do it at once, for what is requeued is no dead letter any
/// more. One whose unique key another job has stays.
///
/// Thread safety: one pass at a time. The store, the audit and the clock must outlive it.
class AutomaticRequeue final {
public:
    /// Throws std::invalid_argument for a rule that mistake_in() finds fault with.
    AutomaticRequeue(
        PolicyParts parts,
        RequeueRule rule,
        schema::Duration interval = std::chrono::minutes(1)
    );

    /// Returns how long to wait before the next pass. Throws DbError.
    [[nodiscard]] schema::Duration run_once();

private:
    using Ids = std::vector<std::string>;

    [[nodiscard]] persistence::JobFilter filter(schema::TimePoint now) const;
    [[nodiscard]] Ids next_ids(schema::TimePoint now);
    [[nodiscard]] std::string arguments() const;
    void requeue(const Ids& ids, schema::TimePoint now);
    void leave_alone(const std::string& id);

    const PolicyParts use_;
    const RequeueRule rule_;
    const schema::DayWindow window_;
    const schema::Duration interval_;

    std::string position_;                     ///< Behind it the next pass goes on.
    std::unordered_set<std::string> refused_;  ///< They cannot come back.
};

/// Removes dead letters that are too old or too many, the oldest first. Of those that do not say
/// when they died (Flowable's) nothing is too old; where there are too many they are the oldest.
///
/// Each pass removes some pages, each in a transaction of its own, and writes that down in the
/// audit, as an operator's removal. Two nodes may do it at once: what is gone is not there.
///
/// Thread safety: one pass at a time. The store, the audit and the clock must outlive it.
class DeadLetterCleaning final {
public:
    DeadLetterCleaning(
        PolicyParts parts,
        DeadLetterRetention retention,
        schema::DayWindow window,
        schema::Duration interval = std::chrono::minutes(10)
    );

    /// Returns how long to wait before the next pass. Throws DbError.
    [[nodiscard]] schema::Duration run_once();

private:
    [[nodiscard]] std::vector<std::string> next_page() const;
    [[nodiscard]] std::vector<std::string> too_old() const;
    [[nodiscard]] std::vector<std::string> too_many() const;
    [[nodiscard]] std::string arguments() const;
    void remove(std::vector<std::string> page);

    const PolicyParts use_;
    const DeadLetterRetention retention_;
    const schema::DayWindow window_;
    const schema::Duration interval_;
};

}  // namespace jobstrand::deadletter
