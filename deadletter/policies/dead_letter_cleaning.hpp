#pragma once

#include "deadletter/admin/audit_trail.hpp"
#include "deadletter/policies/dead_letter_policies.hpp"
#include "persistence/operator_store.hpp"
#include "schema/clock.hpp"
#include "schema/history/day_window.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace jobstrand::deadletter {

/// Removes dead letters that are too old or too many, the oldest first. Of those that do not say
/// when they died (Flowable's) nothing is too old; where there are too many they are the oldest.
///
/// Each pass removes some pages, each in a transaction of its own, and writes that down in the
/// audit, as an operator's removal. Two nodes may do it at once: what is gone is not there.
///
/// Thread safety: one pass at a time. The store, the audit and the clock must outlive it.
class DeadLetterCleaning final {
public:
    struct Dependencies {
        persistence::OperatorStore& store;
        AuditTrail& audit;
        const schema::Clock& clock;
        std::string node;  ///< Who, for the audit.
    };

    DeadLetterCleaning(
        Dependencies dependencies,
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

    const Dependencies use_;
    const DeadLetterRetention retention_;
    const schema::DayWindow window_;
    const schema::Duration interval_;
};

}  // namespace jobstrand::deadletter
