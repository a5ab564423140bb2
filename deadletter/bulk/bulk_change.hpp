#pragma once

#include "deadletter/bulk/bulk_result.hpp"
#include "schema/paging.hpp"

#include <array>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

/// The loop of all bulk operations: it goes through the items, counts what became of them, tells
/// the watch, and stops when that wants it.
namespace jobstrand::deadletter {

/// Counts for the loops below.
class BulkTally final {
public:
    /// The watch must outlive it.
    BulkTally(std::int64_t total, const BulkWatch& watch);

    /// What became of the items of one transaction. False: stop.
    [[nodiscard]] bool add(std::span<const ItemResult> items);

    [[nodiscard]] const BulkCounts& counts() const { return counts_; }

private:
    const BulkWatch& watch_;
    BulkCounts counts_;
};

/// Items that were named: `change(id)` is one transaction for each, so that one which cannot be
/// changed does not keep the others from it. Returns an ItemResult.
template <typename Change>
BulkCounts
change_each(const std::vector<std::string>& ids, const Change& change, const BulkWatch& watch) {
    BulkTally tally(static_cast<std::int64_t>(ids.size()), watch);
    for (const std::string& id : ids) {
        const std::array<ItemResult, 1> item{change(id)};
        if (!tally.add(item)) {
            break;
        }
    }
    return tally.counts();
}

/// What a bulk operation that goes through a list reads; see schema::for_each_page.
template <typename Read, typename KeyOf>
struct BulkSource {
    std::int64_t total;
    std::size_t page;
    Read read;
    KeyOf key_of;
};

/// All items of a list: `change(page)` is one transaction for each page, so that an operation which
/// was interrupted can simply be started again. It returns a vector of ItemResult. The walk goes by
/// key: an item that comes back behind it, such as a job that dies again, is not taken twice.
template <typename Read, typename KeyOf, typename Change>
BulkCounts
change_all(const BulkSource<Read, KeyOf>& source, const Change& change, const BulkWatch& watch) {
    BulkTally tally(source.total, watch);
    schema::for_each_page(
        {.after = {}, .size = source.page},
        source.read,
        source.key_of,
        [&](const auto& page) { return tally.add(change(page)); }
    );
    return tally.counts();
}

}  // namespace jobstrand::deadletter
