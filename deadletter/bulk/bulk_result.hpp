#pragma once

#include "persistence/suspension.hpp"
#include "schema/job_place.hpp"

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace jobstrand::deadletter {

/// What became of one item of a bulk operation: of a job, a series, an instance.
enum class ItemAnswer {
    done,
    skipped,    ///< Nothing had to be done; it is as it was meant to be.
    not_found,  ///< There is none, or it does not stand where it was looked for.
    locked,     ///< A node holds it. Later it can be done.
    refused,    ///< It must not be done: see Refusal.
};

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

}  // namespace jobstrand::deadletter
