#include "persistence/jobs/named_jobs.hpp"
#include "persistence/rows/byte_arrays.hpp"
#include "persistence/rows/job_rows.hpp"
#include "persistence/rows/page_claims.hpp"
#include "persistence/rows/sql_operator_store.hpp"
#include "persistence/series/move_pipeline.hpp"
#include "persistence/series/series_turns.hpp"
#include "persistence/sql/sql_values.hpp"
#include "schema/job_transition.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::persistence {

using schema::Job;
using schema::JobPlace;

namespace {

void store_payload(Transaction& transaction, Job& row, const std::string& payload, std::string id) {
    row.custom_values_id.clear();
    if (is_too_long_for_row(payload)) {
        row.custom_values_id = std::move(id);
        const ByteArray array{.id = row.custom_values_id, .text = payload};
        insert_byte_arrays(transaction, kPayloadName, std::span(&array, 1));
    }
}

const std::string* new_payload(const JobChanges& changes) {
    for (const schema::JobChange& change : changes) {
        const auto* const text = std::get_if<schema::MemberChange<std::string>>(&change);
        if (text != nullptr && text->member == &Job::payload) {
            return &text->value;
        }
    }
    return nullptr;
}

void require_columns(JobPlace place, const JobChanges& changes) {
    for (const schema::JobChange& change : changes) {
        const schema::JobField& field = schema::field_of(member_of(change));
        if (!field.is_in(place)) {
            throw std::invalid_argument(
                fmt::format("jobs of place {} have no {}", schema::name_of(place), field.name)
            );
        }
    }
}

/// What somebody else has written is no reason: only who sets them to 0 gives the job up.
bool set_retries_to_none(const JobChanges& changes) {
    return std::ranges::any_of(changes, [](const schema::JobChange& change) {
        const auto* const number = std::get_if<schema::MemberChange<int>>(&change);
        return number != nullptr && number->member == &Job::retries && number->value <= 0;
    });
}

bool is_any_kept_by_series(const JobChanges& changes) {
    return std::ranges::any_of(changes, [](const schema::JobChange& change) {
        const schema::JobMember member = member_of(change);
        return member == schema::JobMember(&Job::priority) ||
               member == schema::JobMember(&Job::retry_cycle);
    });
}

/// What a change makes of the jobs of its place.
enum class Move {
    none,      ///< They stay, changed.
    give_up,   ///< They become dead letters.
    postpone,  ///< They wait among the timers.
};

Move move_of(JobPlace place, const ManyChanges& changes) {
    if (set_retries_to_none(changes.fields)) {
        return Move::give_up;
    }
    return changes.due_date && place != JobPlace::timer ? Move::postpone : Move::none;
}

void require_date_means_something(JobPlace place, const ManyChanges& changes) {
    if (changes.due_date && (place == JobPlace::suspended || place == JobPlace::dead_letter)) {
        throw std::invalid_argument(
            fmt::format("jobs of place {} wait for no due date", schema::name_of(place))
        );
    }
}

/// One page of jobs under change, in its transaction.
class PageChange {
public:
    PageChange(
        Transaction& transaction,
        const StoreContext& context,
        JobPlace place,
        const ManyChanges& changes,
        schema::TimePoint now
    )
        : transaction_(transaction),
          context_(context),
          place_(place),
          changes_(changes),
          now_(now) {}

    AnswersById make(std::span<const std::string_view> ids) {
        AnswersById answers;
        std::vector<Job> rows = rows_to_change(transaction_, place_, ids);
        for (const Job& row : rows) {
            answers[row.id] = is_locked(row, now_) ? JobAnswer::locked : JobAnswer::done;
        }
        std::erase_if(rows, [this](const Job& row) { return is_locked(row, now_); });
        for (Job& row : rows) {
            change_columns(row);
        }
        write(std::move(rows));
        delete_byte_arrays(transaction_, {replaced_.begin(), replaced_.end()});
        return answers;
    }

private:
    void change_columns(Job& row) {
        if (const std::string* const payload = new_payload(changes_.fields)) {
            replaced_.push_back(row.custom_values_id);
            store_payload(transaction_, row, *payload, context_.ids.next());
            row.needs.clear();  // It was read in the old one.
        }
        for (const schema::JobChange& change : changes_.fields) {
            carry_out(change, row);
        }
    }

    void write(std::vector<Job> rows) {
        switch (move_of(place_, changes_)) {
            case Move::give_up:
                move(std::move(rows), [this](const Job& row) { return given_up(row, now_); });
                break;
            case Move::postpone:
                move(std::move(rows), [this](const Job& row) {
                    return postponed(row, *changes_.due_date);
                });
                break;
            case Move::none:
                write_staying(rows);
                break;
        }
    }

    void move(std::vector<Job> rows, const TransitionOf& transition_of) {
        MovePipeline moves(transaction_, context_, place_, now_);
        moves.decide(std::move(rows), transition_of);
        moves.write();
    }

    void write_staying(std::vector<Job>& rows) {
        for (Job& row : rows) {
            if (changes_.due_date) {
                row.due_date = changes_.due_date;
            }
            row.lock_owner.clear();
            row.lock_expiration.reset();
            ++row.revision;
            update_row(transaction_, place_, row);
        }
        if (changes_.due_date || is_any_kept_by_series(changes_.fields)) {
            log_series_of(rows);
        }
    }

    void log_series_of(const std::vector<Job>& rows) {
        std::vector<const Job*> waiting;
        for (const Job& row : rows) {
            if (!row.repeat.empty()) {
                waiting.push_back(&row);
            }
        }
        SeriesTurns turns(transaction_, context_, now_);
        turns.lock(waiting);
        for (const Job* const turn : waiting) {
            turns.changed(*turn);
        }
        turns.write();
    }

    Transaction& transaction_;
    const StoreContext& context_;
    const JobPlace place_;
    const ManyChanges& changes_;
    const schema::TimePoint now_;
    std::vector<std::string> replaced_;  ///< Payloads that are not needed any more.
};

}  // namespace

AnswersById change_page(
    Transaction& transaction,
    const StoreContext& context,
    JobPlace place,
    std::span<const std::string_view> ids,
    const ManyChanges& changes,
    schema::TimePoint now
) {
    require_columns(place, changes.fields);
    require_date_means_something(place, changes);
    require_storable(changes.due_date, transaction.dialect());
    return PageChange(transaction, context, place, changes, now).make(ids);
}

std::vector<JobAnswer> SqlOperatorStore::change_all(
    JobPlace place,
    std::span<const std::string> ids,
    const ManyChanges& changes,
    schema::TimePoint now
) {
    require_columns(place, changes.fields);
    require_date_means_something(place, changes);
    const auto change = [&](Transaction& transaction, auto page) {
        return change_page(transaction, context_, place, page, changes, now);
    };
    if (move_of(place, changes) != Move::none) {
        return change_named_jobs(context_, place, ids, change);
    }
    // Setting the same values twice does no harm.
    return change_pages(
        context_,
        ids,
        change,
        [](Transaction& transaction, const AnswersById& /*answers*/) {
            return run_again(transaction);
        }
    );
}

namespace {

/// Can run from now on, so that its wait counts from here. A turn of a series keeps the date that
/// the ones behind it go by.
schema::Transition fired_at(const Job& row, schema::TimePoint now) {
    schema::Transition transition = schema::fired(row);
    if (row.series.empty() && row.repeat.empty()) {
        transition.due_date = std::min(row.due_date.value_or(now), now);
    }
    return transition;
}

JobAnswer fire(
    Transaction& transaction,
    const StoreContext& context,
    std::string_view id,
    schema::TimePoint now
) {
    std::vector<Job> rows = rows_for_update(transaction, JobPlace::timer, std::span(&id, 1));
    if (rows.empty()) {
        return JobAnswer::not_found;
    }
    if (is_locked(rows.front(), now)) {
        return JobAnswer::locked;
    }
    MovePipeline moves(transaction, context, JobPlace::timer, now);
    moves.decide(std::move(rows), [now](const Job& row) { return fired_at(row, now); });
    moves.write();
    return JobAnswer::done;
}

JobAnswer reschedule(
    Transaction& transaction,
    const StoreContext& context,
    std::string_view id,
    schema::TimePoint due_date,
    schema::TimePoint now
) {
    require_storable(due_date, transaction.dialect());
    std::optional<Job> row = row_for_update(transaction, JobPlace::timer, id);
    if (!row) {
        return JobAnswer::not_found;
    }
    if (is_locked(*row, now)) {
        return JobAnswer::locked;
    }
    row->due_date = due_date;
    row->lock_owner.clear();
    row->lock_expiration.reset();
    ++row->revision;
    update_row(transaction, JobPlace::timer, *row);
    if (!row->repeat.empty()) {
        const Job* const turn = &*row;
        SeriesTurns turns(transaction, context, now);
        turns.lock(std::span(&turn, 1));
        turns.changed(*row);
        turns.write();
    }
    return JobAnswer::done;
}

}  // namespace

JobAnswer SqlOperatorStore::fire_timer(std::string_view id, schema::TimePoint now) {
    JobAnswer answer = JobAnswer::not_found;
    context_.runner.run(
        [&](Transaction& transaction) { answer = fire(transaction, context_, id, now); },
        [&](Transaction& transaction) {
            const std::string timer(id);
            return !is_any_in(transaction, JobPlace::timer, std::span(&timer, 1));
        }
    );
    return answer;
}

JobAnswer SqlOperatorStore::reschedule_timer(
    std::string_view id,
    schema::TimePoint due_date,
    schema::TimePoint now
) {
    JobAnswer answer = JobAnswer::not_found;
    context_.runner.run(
        [&](Transaction& transaction) {
            answer = reschedule(transaction, context_, id, due_date, now);
        },
        run_again  // Setting the same date twice does no harm.
    );
    return answer;
}

}  // namespace jobstrand::persistence
