#pragma once

#include "persistence/suspension.hpp"
#include "schema/clock.hpp"
#include "schema/job.hpp"
#include "schema/paging.hpp"

#include <jobstrand/change_answer.hpp>

#include <array>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::deadletter {

/// What became of one item of a bulk operation: of a job, a series, an instance.
using ItemAnswer = ChangeAnswer;

/// Why something was refused.
enum class Refusal {
    none,
    carries_series_on,     ///< Without this job its series would end unasked.
    waits_for_no_date,     ///< A dead letter, or suspended: no due date makes it run.
    has_no_retries,        ///< A dead letter; it gets new ones when it is requeued.
    series_has_ended,      ///< There is no further turn.
    series_has_no_turn,    ///< Somebody has deleted the row; resuming it brings one back.
    series_has_not_ended,  ///< It must end before it is forgotten.
    group_is_paused,       ///< The series stays paused with its group.
    is_in_use,             ///< A calendar that a series or another calendar names.
    is_of_engine,          ///< Of a Flowable engine, which alone suspends and activates it.
    unique_key_is_held,    ///< By another job: there would be two with one key.
};

/// What a bulk operation tells of one item.
struct ItemResult {
    std::string id = {};  ///< Of a job, an instance; the key of a series.
    ItemAnswer answer = ItemAnswer::done;
    Refusal refusal = Refusal::none;
    std::optional<schema::JobPlace> place =
        {};                       ///< Not found, skipped, refused: where the job stands.
    std::string series = {};      ///< The series that the job carries on.
    std::string group = {};       ///< Of the series.
    std::string new_job = {};     ///< The job that was made of the series.
    std::string unique_key = {};  ///< The key that another job has.
    std::string holder = {};      ///< The job that has it.
    std::int64_t moved = 0;       ///< Jobs that were suspended or activated.
};

/// How far a bulk operation has come.
struct BulkCounts {
    std::int64_t total = 0;  ///< Items that were meant when it began.
    std::int64_t done = 0;
    std::int64_t skipped = 0;
    std::int64_t not_found = 0;
    std::int64_t locked = 0;
    std::int64_t refused = 0;

    bool operator==(const BulkCounts&) const = default;
};

/// Callbacks that watch a bulk operation. Each may be empty. What they throw ends the operation;
/// what is done stays done.
struct BulkWatch {
    /// Called for each item, in order, after the transaction that it belongs to.
    std::function<void(const ItemResult&)> on_item = {};

    /// Called after each transaction; false: stop here.
    std::function<bool(const BulkCounts&)> on_page = {};

    /// Called between two transactions of an item that moves many jobs; see persistence::OnMoved.
    persistence::OnMoved on_moved = {};
};

// The loops of all bulk operations: they go through the items, count what became of them, tell the
// watch, and stop when that wants it.

/// Counts for change_each() and change_all().
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

/// Items of which all that can be said is whether they were there: `change(id)` tells. The watch
/// hears of each item alone.
template <typename Change>
void change_those_there(
    const std::vector<std::string>& ids,
    const Change& change,
    const BulkWatch& watch
) {
    for (const std::string& id : ids) {
        const bool was_there = change(id);
        if (watch.on_item) {
            watch.on_item({.id = id, .answer = was_there ? ItemAnswer::done : ItemAnswer::not_found}
            );
        }
    }
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

/// How fast a bulk operation may go, so that what it sets free comes in no flood.
struct BulkPace {
    std::int64_t per_second = 0;  ///< Items, at least 1.

    /// Waits for so long; tests turn their clock instead.
    std::function<void(schema::Duration)> wait = {};
};

/// How long so many items take at this pace.
[[nodiscard]] schema::Duration time_for(std::int64_t items, std::int64_t per_second);

/// A watch that also keeps the pace: after each transaction it waits until its items may have been
/// done, beginning now. The clock must outlive it.
[[nodiscard]] BulkWatch paced(BulkWatch watch, BulkPace pace, const schema::Clock& clock);

/// Leaves time to others during a long operation: after each of its transactions it waits four
/// times as long as that took, and 5 s at most. So it takes a fifth of what a busy database can do,
/// and other jobs keep the rest of their rate; a database that has nothing else to do is not asked
/// to hurry.
///
/// Thread safety: none. The clock must outlive it.
class BulkRest final {
public:
    /// Waits for so long; tests turn their clock instead.
    using Wait = std::function<void(schema::Duration)>;

    BulkRest(const schema::Clock& clock, Wait wait);

    /// After a transaction, when another one follows.
    void take();

private:
    const schema::Clock& clock_;
    const Wait wait_;
    schema::SteadyPoint began_;  ///< The transaction that is under way.
};

}  // namespace jobstrand::deadletter
