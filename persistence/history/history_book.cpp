#include "persistence/history/history_book.hpp"

#include <utility>

namespace jobstrand::persistence {

HistoryBook::HistoryBook(schema::HistoryRules rules, OnIncident on_incident)
    : rules_(std::move(rules)), on_incident_(std::move(on_incident)) {}

std::string HistoryBook::next_id(schema::TimePoint time) {
    const std::lock_guard lock(mutex_);
    return ids_.next(time);
}

}  // namespace jobstrand::persistence
