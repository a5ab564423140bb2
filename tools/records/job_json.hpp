#pragma once

#include "executor/enqueue/new_job.hpp"
#include "schema/job.hpp"
#include "schema/job_fields.hpp"
#include "timers/cycle/due_text.hpp"
#include "timers/zone/zone.hpp"
#include "tools/output/fields.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// A job in JSON, the one form in which jobs go out of the program and come in: the fields of
/// schema::job_fields() that have a rank there, and `place` behind correlationId. docs/cli.md shows
/// one.
///
/// All of them are written, and what a job does not have is null. Dates are ISO 8601, in UTC with
/// milliseconds unless another zone is asked for. The payload is the JSON value that was stored,
/// character by character, or a string when the stored text is not JSON.
[[nodiscard]] Record
record_of(const schema::PlacedJob& placed, const timers::Zone& zone = timers::Zone::utc());
[[nodiscard]] Record
record_of(schema::JobPlace place, const schema::Job& job, const timers::Zone& zone);

/// What a worker that has just acquired a job does not know of it: without the members that are
/// null or 0, a correlationId that is the id, and those that tell of every acquired job the same:
/// its place, that it is exclusive, and who holds it until when. Dates are in UTC.
[[nodiscard]] Record lean_record_of(const schema::Job& job);

/// For the description of the API.
[[nodiscard]] std::vector<DescribedField> described_job();

/// One field as it stands there.
[[nodiscard]] RecordField show_field(
    const schema::JobField& field,
    const schema::Job& job,
    const timers::Zone& zone = timers::Zone::utc()
);

/// Reads a field, as it stands there, into a job. Returns what is wrong, to stand behind its name;
/// empty: nothing.
[[nodiscard]] std::string
read_field(const schema::JobField& field, std::string_view value, schema::Job& job);

/// A job that was read, and every mistake in its text; with mistakes the job is not to be used.
struct JobFromJson {
    executor::NewJob content;

    /// What dueDate says, if it is not an instant: still to be asked what that is now.
    std::optional<timers::DueText> due = {};
    std::vector<std::string> problems;
};

/// Reads a new job from a JSON object of the same form. Only handlerType must be there. A place can
/// only be that of a new job: `external` makes an external worker job, as `"external": true` does,
/// and the due date decides between the others. createTime, lockOwner, lockExpirationTime and
/// exceptionMessage are Jobstrand's to say: accepted, so that a written job can be read again, and
/// not used.
///
/// Beside a uniqueKey stand `onDuplicate` and `uniqueFor`, which are only read: see
/// schema::KeyRule.
///
/// dueDate may be any timer text; the `zone` and the `calendar` beside it are then its own.
///
/// A job with a `repeat` begins a series, whose settings stand beside it under the names that
/// series_json.hpp lists. Whether its texts can be read is not looked at here: they may name a
/// calendar, and those are in the database.
[[nodiscard]] JobFromJson job_from_json(std::string_view text);

}  // namespace jobstrand::cli
