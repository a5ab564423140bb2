#include "persistence/history/history_book.hpp"
#include "persistence/limits/exclusive_groups.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/engine_columns.hpp"
#include "persistence/rows/fences.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/rows/new_dead_letters.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/sql_executor_store.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/sql/db_error.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

constexpr std::string_view kDelete = R"sql(
    {delete_where} ID_ IN (...) AND {held})sql";

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

    /// Freed too; by what they need and their node lacks.
    std::map<std::string_view, Outcomes> unserved;
};

Work by_kind(const Outcomes& outcomes) {
    Work work;
    for (const Outcome* outcome : outcomes) {
        if (!outcome->transition.to) {
            work.completed.push_back(outcome);
        } else if (!outcome->transition.needs.empty()) {
            work.unserved[outcome->transition.needs].push_back(outcome);
        } else if (outcome->transition.to == JobPlace::executable) {
            work.freed.push_back(outcome);
        } else {
            work.leaving.push_back(outcome);
        }
    }
    return work;
}

FencedIds fences_of(const Outcomes& outcomes) {
    FencedIds ids;
    for (const Outcome* outcome : outcomes) {
        const Job& job = *outcome->job;
        ids[{job.revision, job.claim != 0}].push_back(job.id);
    }
    return ids;
}

/// How many of them claims name.
CountByClaim count_by_claim(const Outcomes& outcomes) {
    CountByClaim counts;
    for (const Outcome* outcome : outcomes) {
        if (outcome->job->claim != 0) {
            ++counts[outcome->job->claim];
        }
    }
    return counts;
}

/// The groups that the jobs exclude, in order.
std::vector<std::string_view> groups_of(const Outcomes& outcomes, schema::ExclusiveOver over) {
    std::vector<std::string_view> groups;
    for (const Outcome* outcome : outcomes) {
        const std::string_view group = schema::exclusive_group(*outcome->job, over);
        if (!group.empty()) {
            groups.push_back(group);
        }
    }
    std::ranges::sort(groups);
    const auto twice = std::ranges::unique(groups);
    groups.erase(twice.begin(), twice.end());
    return groups;
}

/// An exclusive job is held only together with its group: after a reset of the group, a sibling may
/// run although nobody has reset the job's own lock yet.
bool are_groups_held(
    Transaction& transaction,
    std::string_view owner,
    const Outcomes& outcomes,
    schema::ExclusiveOver over
) {
    const std::vector<std::string_view> groups = groups_of(outcomes, over);
    return groups.empty() || held_groups(transaction, owner, groups).size() == groups.size();
}

void drop_without_group(
    Transaction& transaction,
    std::string_view owner,
    Outcomes& outcomes,
    schema::ExclusiveOver over
) {
    const std::vector<std::string_view> groups = groups_of(outcomes, over);
    const std::vector<std::string> held = held_groups(transaction, owner, groups);
    std::erase_if(outcomes, [&](const Outcome* outcome) {
        const std::string_view group = schema::exclusive_group(*outcome->job, over);
        return !group.empty() && !std::ranges::binary_search(held, group);
    });
}

bool are_all(std::int64_t written, const Outcomes& outcomes) {
    return written == static_cast<std::int64_t>(outcomes.size());
}

// The number of rows that a statement touches tells whether every lock was held.

bool delete_completed(Transaction& transaction, std::string_view owner, const Outcomes& completed) {
    std::vector<const Job*> jobs;
    jobs.reserve(completed.size());
    ExecutionCounts counts(transaction);
    for (const Outcome* outcome : completed) {
        jobs.push_back(outcome->job.get());
        counts.leaves(JobPlace::executable, *outcome->job);
    }
    counts.write();
    const std::int64_t deleted =
        execute_fenced(transaction, kDelete, {}, owner, fences_of(completed));
    delete_byte_arrays_of(transaction, jobs);
    free_keys_of(transaction, jobs);
    return are_all(deleted, completed);
}

bool free_released(Transaction& transaction, std::string_view owner, const Work& work) {
    bool is_all_held = are_all(free_held(transaction, owner, fences_of(work.freed)), work.freed);
    for (const auto& [needs, outcomes] : work.unserved) {
        is_all_held &=
            are_all(free_unserved(transaction, owner, fences_of(outcomes), needs), outcomes);
    }
    return is_all_held;
}

/// Rows as they are now, in id order, and where the outcome of each sends it.
struct Leaving {
    std::vector<Job> rows;
    std::vector<schema::Transition> transitions;
};

/// nullopt: at least one lock is lost.
std::optional<Leaving>
leaving_for_update(Transaction& transaction, std::string_view owner, const Outcomes& outcomes) {
    std::map<std::string_view, const Outcome*> by_id;
    std::vector<std::string_view> ids;
    for (const Outcome* outcome : outcomes) {
        by_id.emplace(outcome->job->id, outcome);
        ids.emplace_back(outcome->job->id);
    }
    Leaving leaving{
        .rows = rows_for_update(transaction, JobPlace::executable, ids), .transitions = {}};
    for (const Job& row : leaving.rows) {
        // To MySQL and MariaDB, an id with blanks behind it is the same; here it is somebody
        // else's.
        const auto found = by_id.find(row.id);
        if (found == by_id.end()) {
            return std::nullopt;
        }
        const Outcome& outcome = *found->second;
        const bool is_ours =
            row.lock_owner == owner || (row.lock_owner.empty() && outcome.job->claim != 0);
        if (row.revision != outcome.job->revision || !is_ours) {
            return std::nullopt;
        }
        leaving.transitions.push_back(outcome.transition);
    }
    return leaving.rows.size() == outcomes.size() ? std::optional(std::move(leaving))
                                                  : std::nullopt;
}

/// `now` is for an outcome that does not say when it was.
MoveFacts facts_of(const Outcome& outcome, std::string_view owner, schema::TimePoint now) {
    return {
        .time = outcome.ended.value_or(outcome.transition.failed_time.value_or(now)),
        .node = owner,
        .duration = outcome.duration,
    };
}

/// Asks nothing and writes nothing unless successes are logged.
void log_completed(
    Transaction& transaction,
    std::string_view owner,
    const Outcomes& completed,
    const StoreContext& context
) {
    JobLogPage log(context.history);
    if (!log.wants(schema::JobEvent::succeeded)) {
        return;
    }
    const schema::TimePoint now = context.clock.now();
    for (const Outcome* outcome : completed) {
        log.add(*outcome->job, outcome->transition, facts_of(*outcome, owner, now));
    }
    log.write(transaction);
}

std::map<std::string_view, MoveFacts>
runs_of(const Outcomes& outcomes, std::string_view owner, schema::TimePoint now) {
    std::map<std::string_view, MoveFacts> runs;
    for (const Outcome* outcome : outcomes) {
        runs.emplace(outcome->job->id, facts_of(*outcome, owner, now));
    }
    return runs;
}

/// false: at least one lock is lost, and the transaction must be rolled back.
bool write_outcomes(
    Transaction& transaction,
    std::string_view owner,
    const Outcomes& outcomes,
    const StoreContext& context,
    DuplicateIds& duplicates
) {
    const Work work = by_kind(outcomes);
    count_ended(transaction, owner, count_by_claim(outcomes));
    const bool is_held = are_groups_held(transaction, owner, outcomes, context.exclusive_over) &&
                         delete_completed(transaction, owner, work.completed) &&
                         free_released(transaction, owner, work);
    if (!is_held) {
        return false;
    }
    std::optional<Leaving> leaving = leaving_for_update(transaction, owner, work.leaving);
    if (!leaving) {
        return false;
    }
    const schema::TimePoint now = context.clock.now();
    MovePipeline moves(transaction, context, JobPlace::executable, now);
    for (const Outcome* outcome : work.completed) {
        if (!outcome->job->repeat.empty()) {
            moves.add_deleted(*outcome->job, outcome->transition);
        }
    }
    moves.know_runs(runs_of(work.leaving, owner, now));
    moves.decide(std::move(leaving->rows), std::move(leaving->transitions));
    moves.write(&duplicates);
    log_completed(transaction, owner, work.completed, context);
    return true;
}

/// Reads the rows for update and leaves out the outcomes whose lock is lost. A job may be named
/// twice, when a run that lost its lock and the next one end together: at most the one whose fence
/// holds counts.
Outcomes still_held(
    Transaction& transaction,
    const StoreContext& context,
    std::string_view owner,
    Outcomes outcomes
) {
    drop_without_group(transaction, owner, outcomes, context.exclusive_over);
    auto held = held_for_update(transaction, owner, fences_of(outcomes));
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

std::vector<OutcomeAnswer>
SqlExecutorStore::apply(std::string_view owner, std::span<const Outcome> outcomes) {
    const Outcomes all = in_id_order(outcomes);
    bool is_any_lost = false;
    Outcomes written;
    DuplicateIds duplicates;
    const auto write = [&](Transaction& transaction) {
        // Nearly always every lock is held, and then the writing statements prove it themselves.
        // Only when they do not is the batch rolled back, and the fences are read first.
        written = is_any_lost ? still_held(transaction, context_, owner, all) : all;
        if (!write_outcomes(transaction, owner, written, context_, duplicates)) {
            is_any_lost = true;
            throw DbError(DbErrorKind::conflict, "the lock of a job in the batch is lost");
        }
    };
    run_diverting_duplicates(context_, duplicates, write, [&](Transaction& transaction) {
        return held_for_update(transaction, owner, fences_of(all)).empty();
    });
    return answers_for(outcomes, written);
}

OutcomeAnswer
SqlExecutorStore::apply(Transaction& transaction, std::string_view owner, const Outcome& outcome) {
    const Outcomes held = still_held(transaction, context_, owner, {&outcome});
    if (held.empty()) {
        return OutcomeAnswer::lost_lock;
    }
    DuplicateIds duplicates;
    if (!write_outcomes(transaction, owner, held, context_, duplicates)) {
        throw DbError(DbErrorKind::conflict, "the lock of a job was lost while it was held");
    }
    return OutcomeAnswer::done;
}

}  // namespace jobstrand::persistence
