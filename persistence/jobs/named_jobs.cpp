#include "persistence/jobs/named_jobs.hpp"

#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/key_rows.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/limits.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;

namespace {

std::vector<std::string> ids_with_answer(const AnswersById& answers, JobAnswer wanted) {
    std::vector<std::string> ids;
    for (const auto& [id, answer] : answers) {
        if (answer == wanted) {
            ids.push_back(id);
        }
    }
    return ids;
}

}  // namespace

std::vector<JobAnswer> change_pages(
    const StoreContext& context,
    std::span<const std::string> ids,
    const ChangeOfPage& change,
    const WasPageDone& was_done
) {
    const std::set<std::string_view> unique(ids.begin(), ids.end());
    const std::vector<std::string_view> sorted(unique.begin(), unique.end());
    AnswersById all;
    for (std::span<const std::string_view> rest = sorted; !rest.empty();) {
        const auto page = rest.first(std::min(rest.size(), schema::limits::kJobsPerTransaction));
        AnswersById answers;
        context.runner.run(
            [&](Transaction& transaction) { answers = change(transaction, page); },
            [&](Transaction& transaction) { return was_done(transaction, answers); }
        );
        all.merge(answers);
        rest = rest.subspan(page.size());
    }
    std::vector<JobAnswer> in_order;
    in_order.reserve(ids.size());
    for (const std::string& id : ids) {
        const auto found = all.find(id);
        in_order.push_back(found == all.end() ? JobAnswer::not_found : found->second);
    }
    return in_order;
}

std::vector<JobAnswer> change_named_jobs(
    const StoreContext& context,
    schema::JobPlace place,
    std::span<const std::string> ids,
    const ChangeOfPage& change
) {
    return change_pages(
        context,
        ids,
        change,
        [place](Transaction& transaction, const AnswersById& answers) {
            return !is_any_in(transaction, place, ids_with_answer(answers, JobAnswer::done));
        }
    );
}

// A lock does not protect a job from it: the move raises REV_ and takes the row out of its table,
// so that the holder's fence fails, whatever the run comes to.
std::vector<JobAnswer> SqlOperatorStore::cancel(
    schema::JobPlace place,
    std::span<const std::string> ids,
    std::string_view message,
    schema::TimePoint now
) {
    return change_named_jobs(context_, place, ids, [&](Transaction& transaction, auto page) {
        MovePipeline moves(transaction, context_, place, now);
        moves.decide(rows_to_change(transaction, place, page), [&](const schema::Job& row) {
            return schema::cancelled(row, std::string(message), now);
        });
        moves.write();
        AnswersById answers;
        for (std::string& id : moves.leaving_ids()) {
            answers.emplace(std::move(id), JobAnswer::done);
        }
        return answers;
    });
}

AnswersById remove_page(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace place,
    std::span<const std::string_view> ids,
    schema::TimePoint now
) {
    AnswersById answers;
    std::vector<Job> rows = rows_to_change(transaction, place, ids);
    for (const Job& row : rows) {
        answers[row.id] = is_locked(row, now) ? JobAnswer::locked : JobAnswer::done;
    }
    std::erase_if(rows, [now](const Job& row) { return is_locked(row, now); });
    MovePipeline moves(transaction, context, place, now);
    moves.decide(std::move(rows), schema::removed);
    moves.write();
    return answers;
}

std::vector<JobAnswer>
SqlOperatorStore::remove(JobPlace place, std::span<const std::string> ids, schema::TimePoint now) {
    return change_named_jobs(context_, place, ids, [&](Transaction& transaction, auto page) {
        return remove_page(transaction, context_, place, page, now);
    });
}

namespace {

DueDatesById by_id(std::span<const std::string> ids, const DueDates& due_dates) {
    DueDatesById by_id;
    for (std::size_t i = 0; i < ids.size(); ++i) {
        if (const auto due_date = due_dates.of(i)) {
            by_id.emplace(ids[i], *due_date);
        }
    }
    return by_id;
}

}  // namespace

AnswersById requeue_page(
    Transaction& transaction,
    const StoreContext& context,
    std::span<const std::string_view> ids,
    const NewLife& life
) {
    for (const std::string_view id : ids) {
        require_storable(life.due_date_of(id), transaction.dialect());
    }
    AnswersById answers;
    std::vector<Job> rows = rows_for_update(transaction, JobPlace::dead_letter, ids);
    for (std::string& id : take_back_keys(transaction, rows, life.now)) {
        answers.emplace(std::move(id), JobAnswer::key_held);
    }
    std::erase_if(rows, [&](const Job& row) { return answers.contains(row.id); });
    MovePipeline moves(transaction, context, JobPlace::dead_letter, life.now);
    if (life.due_dates.empty()) {
        moves.copy_unchanged();  // Else each would need a statement of its own.
    }
    moves.decide(std::move(rows), [&](const Job& row) {
        return schema::requeued(row, life.retries, life.due_date_of(row.id), life.now);
    });
    moves.write();
    for (std::string& id : moves.leaving_ids()) {
        answers.emplace(std::move(id), JobAnswer::done);
    }
    return answers;
}

std::vector<JobAnswer> SqlOperatorStore::requeue(
    std::span<const std::string> ids,
    int retries,
    const DueDates& due_dates,
    schema::TimePoint now
) {
    const NewLife life{
        .retries = retries,
        .due_date = due_dates.of_all(),
        .due_dates = due_dates.of_all() ? DueDatesById{} : by_id(ids, due_dates),
        .now = now,
    };
    return change_named_jobs(
        context_,
        JobPlace::dead_letter,
        ids,
        [&](Transaction& transaction, auto page) {
            return requeue_page(transaction, context_, page, life);
        }
    );
}

}  // namespace jobstrand::persistence
