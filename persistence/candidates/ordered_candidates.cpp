#include "persistence/candidates/ordered_candidates.hpp"

#include "persistence/candidates/range_rows.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::AcquisitionOrder;
using schema::OrderKey;

/// How many priorities one transaction looks at, a few short statements each.
constexpr int kPrioritiesPerPage = 1000;

/// How many tenants take turns in one transaction, one statement or two each. Those behind them
/// wait until there are fewer.
constexpr int kTenantsPerPage = 1000;

/// The fewest jobs that are worth a statement, where many ranges share a page.
constexpr std::size_t kLeastAhead = 10;

/// Fills a page from ranges.
class OrderedReading final {
public:
    OrderedReading(Transaction& transaction, const OrderedSearch& search, std::size_t limit)
        : search_(search),
          order_(search.order),
          limit_(limit),
          source_(transaction, search.served, search.order) {
        page_.rest = std::min(search.highest, search.served.scope.priorities.most);
        page_.rows.jobs.reserve(std::min(limit, schema::limits::kJobsPerTransaction));
    }

    OrderedPage read() && {
        if (order_.tenants_in_turn) {
            page_.rest.reset();
            take_in_turn();
        } else if (!order_.by_priority) {
            page_.rest.reset();
            take({0});
        } else if (order_.ages()) {
            take(all_priorities());
        } else {
            take_from_the_highest();
        }
        return std::move(page_);
    }

private:
    [[nodiscard]] bool is_full() const { return page_.rows.jobs.size() >= limit_; }

    /// The priority that `rest` comes to, which then is the one below it.
    [[nodiscard]] std::optional<std::int64_t> next_priority() {
        const auto priority = page_.rest ? source_.next_priority(*page_.rest) : std::nullopt;
        const bool is_any = priority && *priority >= search_.served.scope.priorities.least;
        const bool is_last = !is_any || *priority == search_.served.scope.priorities.least;
        page_.rest = is_last ? std::nullopt : std::optional(*priority - 1);
        return is_any ? priority : std::nullopt;
    }

    [[nodiscard]] std::vector<std::int64_t> all_priorities() {
        std::vector<std::int64_t> all;
        while (all.size() < kPrioritiesPerPage) {
            const auto priority = next_priority();
            if (!priority) {
                break;
            }
            all.push_back(*priority);
        }
        page_.rest.reset();  // What is lower waits until there are fewer.
        return all;
    }

    void take_from_the_highest() {
        for (int i = 0; i < kPrioritiesPerPage && page_.rest && !is_full(); ++i) {
            if (const auto priority = next_priority()) {
                take({*priority});
            }
        }
    }

    /// Of each tenant one job after the other, round by round.
    void take_in_turn() {
        std::vector<RangeReader> ranges;
        for (std::string& tenant : source_.tenants(kTenantsPerPage)) {
            IndexRange range{.kind = IndexRange::Kind::of_tenant, .tenant = std::move(tenant)};
            ranges.emplace_back(std::move(range), search_.behind);
        }
        ranges.emplace_back(IndexRange{.kind = IndexRange::Kind::no_tenant}, search_.behind);
        while (!is_full() && !ranges.empty()) {
            const std::size_t ahead = ahead_in(ranges);
            std::erase_if(ranges, [&](RangeReader& range) {
                const bool is_next = !is_full() && range.has_next(source_, ahead, page_.rows);
                if (is_next) {
                    page_.rows.jobs.push_back(range.take_next());
                }
                return !is_next;
            });
        }
    }

    /// How many jobs of each range are read with one statement.
    [[nodiscard]] std::size_t ahead_in(const std::vector<RangeReader>& ranges) const {
        const std::size_t left = limit_ - page_.rows.jobs.size();
        const std::size_t share = left / std::max(ranges.size(), std::size_t{1});
        return std::min(left, std::max(share, kLeastAhead));
    }

    /// Of these priorities what comes first.
    void take(const std::vector<std::int64_t>& priorities) {
        using enum IndexRange::Kind;
        if (!order_.asks_for_due_dates()) {
            merge(priorities, {by_id});
        } else if (order_.timers_first) {
            merge(priorities, {due});
            merge(priorities, {immediate});
        } else {
            merge(priorities, {due, immediate});
        }
    }

    /// Of these ranges again and again the job that comes first.
    void
    merge(const std::vector<std::int64_t>& priorities, const std::vector<IndexRange::Kind>& kinds) {
        std::vector<RangeReader> ranges;
        for (const std::int64_t priority : priorities) {
            for (const IndexRange::Kind kind : kinds) {
                ranges.emplace_back(IndexRange{priority, kind}, search_.behind);
            }
        }
        while (!is_full()) {
            RangeReader* const first = first_of(ranges);
            if (first == nullptr) {
                return;
            }
            page_.rows.jobs.push_back(first->take_next());
        }
    }

    [[nodiscard]] RangeReader* first_of(std::vector<RangeReader>& ranges) {
        const std::size_t ahead = ahead_in(ranges);
        RangeReader* first = nullptr;
        OrderKey least;
        for (RangeReader& range : ranges) {
            if (!range.has_next(source_, ahead, page_.rows)) {
                continue;
            }
            const OrderKey key = schema::order_key(order_, range.next());
            if (first == nullptr || key < least) {
                first = &range;
                least = key;
            }
        }
        return first;
    }

    const OrderedSearch& search_;
    const AcquisitionOrder& order_;
    const std::size_t limit_;
    RangeRows source_;
    OrderedPage page_;
};

}  // namespace

OrderedPage
ordered_candidates(Transaction& transaction, const OrderedSearch& search, std::size_t limit) {
    return OrderedReading(transaction, search, limit).read();
}

}  // namespace jobstrand::persistence
