#pragma once

#include "persistence/history_store.hpp"
#include "schema/history/history_rules.hpp"
#include "schema/uuid7.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>
#include <utility>

namespace jobstrand::persistence {

/// What all moves of one store write history by.
///
/// Thread safety: safe.
class HistoryBook final {
public:
    explicit HistoryBook(schema::HistoryRules rules = {}, OnIncident on_incident = {})
        : rules_(std::move(rules)), on_incident_(std::move(on_incident)) {}

    [[nodiscard]] const schema::HistoryRules& rules() const { return rules_; }
    [[nodiscard]] const OnIncident& on_incident() const { return on_incident_; }

    /// For what happened then: later ids are greater.
    [[nodiscard]] std::string next_id(schema::TimePoint time) {
        const std::lock_guard lock(mutex_);
        return ids_.next(time);
    }

    /// How many incidents this store has opened, and how many its moves have resolved.
    std::atomic<std::uint64_t> opened = 0;
    std::atomic<std::uint64_t> resolved = 0;

private:
    const schema::HistoryRules rules_;
    const OnIncident on_incident_;
    std::mutex mutex_;
    schema::Uuid7Source ids_;  ///< Guarded by mutex_.
};

}  // namespace jobstrand::persistence
