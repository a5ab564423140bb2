#pragma once

#include "persistence/sql/new_rows.hpp"
#include "schema/job.hpp"
#include "schema/job_fields.hpp"
#include "schema/job_place.hpp"

#include <cstddef>
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
/// their way; what becomes of the others, see unreadable_rows.hpp.
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

}  // namespace jobstrand::persistence
