#include "deadletter/bulk/bulk_change.hpp"

namespace jobstrand::deadletter {

namespace {

[[nodiscard]] std::int64_t& count_of(BulkCounts& counts, ItemAnswer answer) {
    switch (answer) {
        case ItemAnswer::done:
            return counts.done;
        case ItemAnswer::skipped:
            return counts.skipped;
        case ItemAnswer::not_found:
            return counts.not_found;
        case ItemAnswer::locked:
            return counts.locked;
        case ItemAnswer::refused:
            break;
    }
    return counts.refused;
}

}  // namespace

BulkTally::BulkTally(std::int64_t total, const BulkWatch& watch) : watch_(watch) {
    counts_.total = total;
}

bool BulkTally::add(std::span<const ItemResult> items) {
    for (const ItemResult& item : items) {
        ++count_of(counts_, item.answer);
        if (watch_.on_item) {
            watch_.on_item(item);
        }
    }
    return !watch_.on_page || watch_.on_page(counts_);
}

}  // namespace jobstrand::deadletter
