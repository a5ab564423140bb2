#include "persistence/jobs/executor_moves.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/due_date_range.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_table.hpp"
#include "persistence/rows/move_jobs.hpp"
#include "persistence/series/ended_turns.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

constexpr std::string_view kDelete = R"sql(
    {delete_where} ID_ IN (...) AND REV_ = ? AND LOCK_OWNER_ = ?)sql";

constexpr std::string_view kFree = R"sql(
    UPDATE ACT_RU_JOB {by_id}
    SET LOCK_OWNER_ = NULL, LOCK_EXP_TIME_ = NULL, REV_ = REV_ + 1
    WHERE ID_ IN (...) AND REV_ = ? AND LOCK_OWNER_ = ?)sql";

using Outcomes = std::vector<const Outcome*>;

Outcomes in_id_order(std::span<const Outcome> outcomes) {
    Outcomes sorted;
    sorted.reserve(outcomes.size());
    for (const Outcome& outcome : outcomes) {
        sorted.push_back(&outcome);
    }
    std::ranges::stable_sort(sorted, {}, [](const Outcome* outcome) {
        return std::string_view(outcome->job->id);
    });
    return sorted;
}

/// Outcomes by what has to be written, each in id order.
struct Work {
    Outcomes completed;  ///< The row is deleted.
    Outcomes freed;      ///< It stays where it is, without a lock.
    Outcomes leaving;    ///< It goes to another place.
};

Work by_kind(const Outcomes& outcomes) {
    Work work;
    for (const Outcome* outcome : outcomes) {
        if (!outcome->transition.to) {
            work.completed.push_back(outcome);
        } else if (outcome->transition.to == JobPlace::executable) {
            work.freed.push_back(outcome);
        } else {
            work.leaving.push_back(outcome);
        }
    }
    return work;
}

FencedIds fenced(const Outcomes& outcomes) {
    FencedIds ids;
    for (const Outcome* outcome : outcomes) {
        ids[outcome->job->revision].push_back(outcome->job->id);
    }
    return ids;
}

std::vector<std::string_view> ids_of(const Outcomes& outcomes) {
    std::vector<std::string_view> ids;
    for (const Outcome* outcome : outcomes) {
        ids.emplace_back(outcome->job->id);
    }
    return ids;
}

/// Statements whose number of rows tells whether every lock was held.
bool write_all(
    Transaction& transaction,
    std::string_view sql,
    std::string_view owner,
    const Outcomes& outcomes
) {
    return execute_fenced(transaction, sql, {}, owner, fenced(outcomes)) ==
           static_cast<std::int64_t>(outcomes.size());
}

bool delete_completed(Transaction& transaction, std::string_view owner, const Outcomes& completed) {
    std::vector<const Job*> jobs;
    jobs.reserve(completed.size());
    for (const Outcome* outcome : completed) {
        jobs.push_back(outcome->job.get());
    }
    const bool is_held = write_all(transaction, kDelete, owner, completed);
    delete_byte_arrays_of(transaction, jobs);
    return is_held;
}

/// A job that leaves: the outcome, and the row as it is now.
struct Leaving {
    const Outcome* outcome = nullptr;
    Job row;
};

/// In id order; nullopt: at least one lock is lost.
std::optional<std::vector<Leaving>>
lock_leaving(Transaction& transaction, std::string_view owner, const Outcomes& outcomes) {
    std::map<std::string_view, const Outcome*> by_id;
    for (const Outcome* outcome : outcomes) {
        by_id.emplace(outcome->job->id, outcome);
    }
    std::vector<Leaving> leaving;
    for (Job& row : lock_rows(transaction, JobPlace::executable, ids_of(outcomes))) {
        const Outcome* const outcome = by_id.at(row.id);
        if (row.revision == outcome->job->revision && row.lock_owner == owner) {
            leaving.push_back({.outcome = outcome, .row = std::move(row)});
        }
    }
    return leaving.size() == outcomes.size() ? std::optional(std::move(leaving)) : std::nullopt;
}

/// A wait that ends beyond the last instant of the column ends there: a failure must be storable.
schema::Transition storable(schema::Transition transition, const Dialect& dialect) {
    if (transition.due_date) {
        transition.due_date = std::min(*transition.due_date, dialect.latest_time);
    }
    return transition;
}

/// Stores the details of the failures; `jobs` get the ids of their rows. Returns the ids of those
/// that they replace, which rows in the old place still refer to.
std::vector<std::string_view> insert_stack_traces(
    Transaction& transaction,
    const std::vector<Leaving>& leaving,
    std::vector<PlacedJob>& jobs,
    FreshIds& ids
) {
    std::vector<std::string_view> replaced;
    std::vector<ByteArray> traces;
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        const auto& failure = leaving[i].outcome->transition.failure;
        if (!failure) {
            continue;
        }
        std::string& id = jobs[i].job.exception_stack_id;
        replaced.emplace_back(leaving[i].row.exception_stack_id);
        id.clear();
        if (!failure->details.empty()) {
            id = ids.next();
            traces.push_back({.id = id, .text = failure->details});
        }
    }
    insert_byte_arrays(transaction, kStackTraceName, traces);
    return replaced;
}

void move_leaving(
    Transaction& transaction,
    const std::vector<Leaving>& leaving,
    const StoreContext& context,
    EndedTurns& ended
) {
    std::vector<PlacedJob> jobs;
    for (const Leaving& one : leaving) {
        jobs.push_back(moved(one.row, storable(one.outcome->transition, transaction.dialect())));
        if (is_dead(*one.outcome)) {
            ended.died(jobs.back().job);
        }
    }
    const auto replaced = insert_stack_traces(transaction, leaving, jobs, context.ids);
    divert_suspended(transaction, jobs);
    move_rows(transaction, JobPlace::executable, jobs);
    delete_byte_arrays(transaction, replaced);
}

/// false: at least one lock is lost, and the transaction must be rolled back.
bool write_outcomes(
    Transaction& transaction,
    std::string_view owner,
    const Outcomes& outcomes,
    const StoreContext& context
) {
    const Work work = by_kind(outcomes);
    const bool is_held = delete_completed(transaction, owner, work.completed) &&
                         write_all(transaction, kFree, owner, work.freed);
    if (!is_held) {
        return false;
    }
    const auto leaving = lock_leaving(transaction, owner, work.leaving);
    if (!leaving) {
        return false;
    }
    EndedTurns ended(transaction, context, outcomes);
    for (const Outcome* outcome : work.completed) {
        ended.completed(*outcome);
    }
    move_leaving(transaction, *leaving, context, ended);
    ended.write();
    return true;
}

/// Locks the rows and leaves out the outcomes whose lock is lost. A job may be named twice, when a
/// run that lost its lock and the next one end together: at most the one whose fence holds counts.
Outcomes still_held(Transaction& transaction, std::string_view owner, const Outcomes& outcomes) {
    auto held = lock_held(transaction, owner, fenced(outcomes));
    Outcomes kept;
    for (const Outcome* outcome : outcomes) {
        const auto found = held.find(outcome->job->id);
        if (found != held.end() && found->second == outcome->job->revision) {
            kept.push_back(outcome);
            held.erase(found);
        }
    }
    return kept;
}

std::vector<OutcomeAnswer> answers_for(std::span<const Outcome> outcomes, const Outcomes& written) {
    std::vector<OutcomeAnswer> answers(outcomes.size(), OutcomeAnswer::lost_lock);
    for (const Outcome* outcome : written) {
        answers[static_cast<std::size_t>(outcome - outcomes.data())] = OutcomeAnswer::done;
    }
    return answers;
}

}  // namespace

std::vector<OutcomeAnswer> apply_outcomes(
    const StoreContext& context,
    std::string_view owner,
    std::span<const Outcome> outcomes
) {
    const Outcomes all = in_id_order(outcomes);
    bool is_any_lost = false;
    Outcomes written;
    const auto write = [&](Transaction& transaction) {
        // Nearly always every lock is held, and then the writing statements prove it themselves.
        // Only when they do not is the batch rolled back, and the fences are read first.
        written = is_any_lost ? still_held(transaction, owner, all) : all;
        if (!write_outcomes(transaction, owner, written, context)) {
            is_any_lost = true;
            throw DbError(DbErrorKind::conflict, "the lock of a job in the batch is lost");
        }
    };
    context.runner.run(write, [&](Transaction& transaction) {
        return lock_held(transaction, owner, fenced(all)).empty();
    });
    return answers_for(outcomes, written);
}

OutcomeAnswer apply_outcome(
    const StoreContext& context,
    Transaction& transaction,
    std::string_view owner,
    const Outcome& outcome
) {
    const Outcomes held = still_held(transaction, owner, {&outcome});
    if (held.empty()) {
        return OutcomeAnswer::lost_lock;
    }
    if (!write_outcomes(transaction, owner, held, context)) {
        throw DbError(DbErrorKind::conflict, "the lock of a job was lost while it was held");
    }
    return OutcomeAnswer::done;
}

}  // namespace jobstrand::persistence
