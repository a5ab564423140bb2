#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/many_rows.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "schema/job.hpp"
#include "schema/job_fields.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <ranges>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// The only mapping between schema::Job and the rows of the job tables, made from
/// schema::job_fields().
namespace jobstrand::persistence {

/// What reading and writing a row needs of a field.
struct RowField {
    std::string_view column;
    schema::JobMember member;
    bool is_null_when_empty = true;  ///< Of a text.
};

/// The fields that the table of a place has, in column order. Not for history, which has other
/// columns.
[[nodiscard]] std::span<const RowField> fields_of(schema::JobPlace place);

/// Their columns as a list for an INSERT: `ID_, REV_, ...`.
[[nodiscard]] std::string_view columns_of(schema::JobPlace place);

/// The same for a SELECT, whose rows are read as jobs.
[[nodiscard]] std::string_view selected_of(schema::JobPlace place, const Dialect& dialect);

/// New rows of its table, of which there are none yet.
[[nodiscard]] NewRows new_rows_of(schema::JobPlace place);

/// Appends the values of a row, in column order. The texts are borrowed from `job`. A payload that
/// is stored apart stays out of the row (see is_stored_apart).
void append_row(std::vector<Value>& values, schema::JobPlace place, const schema::Job& job);

/// Reads a row whose first columns are those of the place. What is NULL although it has a meaning
/// (a producer named few columns) reads as the default of Job; dead letters have no retries.
///
/// A value that is not what its column means reads as that default too, and the exception message
/// then names each such column and its value: whoever looks at one row, or changes it, needs no
/// more.
[[nodiscard]] schema::Job read_job(const Row& row, schema::JobPlace place);

/// Reads all rows of a SELECT that returns the columns of the place, as read_job does.
[[nodiscard]] RowReader append_to(std::vector<schema::Job>& jobs, schema::JobPlace place);

/// Rows of a page that is about to move, in their order. Only jobs that could be read whole may go
/// their way; what becomes of the others, see new_dead_letters.hpp.
struct JobRows {
    std::vector<schema::Job> jobs;
    std::vector<schema::Job> unreadable;  ///< As read_job reads them.
    bool is_any_nameless = false;         ///< There are more, which no id finds (see is_nameless).

    [[nodiscard]] bool are_none() const {
        return jobs.empty() && unreadable.empty() && !is_any_nameless;
    }
};

/// Reads all rows of a SELECT that returns the columns of the place.
[[nodiscard]] RowReader append_to(JobRows& rows, schema::JobPlace place);

/// Whether a row whose first column is ID_ has an id that nothing finds: bytes, or the empty text,
/// which says that an app forgot it. To be asked first about a row.
[[nodiscard]] bool is_nameless(const Row& row);

/// Whether the payload of this job is in ACT_GE_BYTEARRAY: it is too long for HANDLER_CFG_, and has
/// an id there.
[[nodiscard]] bool is_stored_apart(const schema::Job& job);

/// Whether the text has more characters (not bytes) than HANDLER_CFG_ takes.
[[nodiscard]] bool is_too_long_for_row(std::string_view payload);

/// Brings them into the order of their ids, and moves each once: a job is two dozen texts.
void sort_by_id(std::vector<schema::Job>& jobs);

// What every operation does with whole rows of one job table. Give ids and jobs in ascending id
// order: transactions that read for update in one order do not deadlock.

void insert_rows(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const schema::Job* const> jobs
);

/// Reads rows that nobody else changes until the transaction ends; waits for whoever is changing
/// them. Ids that are not there are left out. Payloads that are stored apart are not fetched. What
/// cannot be read is as read_job says: whoever writes such a row mends it.
[[nodiscard]] std::vector<schema::Job> rows_for_update(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const std::string_view> ids
);

/// The same, leaving out rows that another transaction has read for update: it waits for nobody.
[[nodiscard]] std::vector<schema::Job> untouched_for_update(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const std::string_view> ids
);

/// Like rows_for_update, with those apart that cannot be read whole.
[[nodiscard]] JobRows checked_for_update(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const std::string_view> ids
);

/// The same for one row; nullopt: it is not there.
[[nodiscard]] std::optional<schema::Job>
row_for_update(Transaction& transaction, schema::JobPlace place, std::string_view id);

/// Writes all columns of a row that this transaction has read for update.
void update_row(Transaction& transaction, schema::JobPlace place, const schema::Job& job);

/// Returns how many there were.
std::int64_t delete_rows(
    Transaction& transaction,
    schema::JobPlace place,
    std::span<const std::string_view> ids
);

/// Whether one of these ids is in the place: the question after a move whose commit went
/// unanswered.
[[nodiscard]] bool
is_any_in(Transaction& transaction, schema::JobPlace place, std::span<const std::string> ids);

/// Whether a node holds a live lock on it: one that has not expired.
[[nodiscard]] bool is_locked(const schema::Job& job, schema::TimePoint now);

/// For ids_of(): of whatever has an id, and of jobs and pointers to them.
template <typename Row>
[[nodiscard]] std::string_view id_of(const Row& row) {
    return row.id;
}
inline std::string_view id_of(const schema::Job* job) {
    return job->id;
}
inline std::string_view id_of(const schema::PlacedJob& placed) {
    return placed.job.id;
}
inline std::string_view id_of(const schema::PlacedJob* placed) {
    return placed->job.id;
}

/// The ids of jobs, or of other rows, in their order, for a statement; they are borrowed from them.
template <std::ranges::sized_range Jobs>
[[nodiscard]] std::vector<std::string_view> ids_of(const Jobs& jobs) {
    std::vector<std::string_view> ids;
    ids.reserve(std::ranges::size(jobs));
    for (const auto& job : jobs) {
        ids.push_back(id_of(job));
    }
    return ids;
}

/// In which place a job stands.
struct JobAddress {
    std::string id;
    schema::JobPlace place = schema::JobPlace::executable;
};

/// One of these jobs that exists, in whatever place; nullopt: none does. One statement looks into
/// all places at once, so that a job that moves meanwhile is not missed.
[[nodiscard]] std::optional<JobAddress>
find_any(Transaction& transaction, std::span<const std::string_view> ids);
[[nodiscard]] std::optional<JobAddress>
find_any(Connection& connection, std::span<const std::string_view> ids);

/// All of them that exist, likewise. A job that moves meanwhile may be there twice.
[[nodiscard]] std::vector<JobAddress>
find_all(Transaction& transaction, std::span<const std::string_view> ids);

}  // namespace jobstrand::persistence
