#pragma once

#include "schema/job.hpp"
#include "schema/job_failure.hpp"

#include <optional>
#include <string_view>

/// The one state machine. A job, what happened to it, and the time go in; where the job goes and
/// which columns change comes out. No I/O: persistence applies what this file decides, and nothing
/// else decides.
///
/// | from                      | what happened                   | to                           |
/// |---------------------------|---------------------------------|------------------------------|
/// | executable (locked)       | the handler succeeded           | gone                         |
/// | executable (locked)       | failed, an attempt is left      | timer, retries - 1           |
/// | executable (locked)       | failed, none left               | dead letter                  |
/// | executable (locked)       | failed, not retryable           | dead letter                  |
/// | any but dead letter       | an operator cancelled it        | dead letter                  |
/// | any but dead letter, free | its retries were set to 0       | dead letter                  |
/// | executable (locked)       | released: queue full, stopping  | executable, retries kept     |
/// | executable (locked), due  | given back: it would wait here  | timer, its due date kept     |
/// | executable (locked)       | its node lacks what it needs    | executable, says what        |
/// | executable (locked)       | ended its process too often     | dead letter                  |
/// | executable (locked)       | interrupted: database, stop     | timer, retries kept          |
/// | executable (lock expired) | its node died; no recovery      | gone                         |
/// | timer                     | fell due, or was fired by hand  | executable or external       |
/// | executable, external      | an operator gave it a due date  | timer                        |
/// | external (locked)         | its worker completed it         | gone                         |
/// | external (locked)         | its worker told the app more    | executable, for the app      |
/// | external (locked)         | failed                          | as an executable one         |
/// | timer, executable, ext.   | instance or definition suspended| suspended                    |
/// | suspended                 | activated                       | where it came from           |
/// | timer, executable         | its id is taken where it goes   | dead letter                  |
/// | any but dead letter       | its row cannot be read          | dead letter                  |
/// | dead letter               | an operator requeued it         | executable, timer, external  |
/// | any                       | an operator removed it          | gone                         |
///
/// What a series does when one of its turns moves is decided in schema/series_transition.
namespace jobstrand::schema {

/// Why a job moves; also the word in the log line of the transition.
enum class TransitionReason {
    completed,
    handed_on,
    retry,
    retries_exhausted,
    not_retryable,
    crash_loop,
    cancelled,
    given_up,
    released,
    not_served,
    interrupted,
    let_go,
    fell_due,
    fired,
    postponed,
    suspended,
    activated,
    requeued,
    removed,
    id_taken,
    unreadable,
};

[[nodiscard]] std::string_view name_of(TransitionReason reason);

/// Where a job goes and what changes on the way. Columns not named here are kept. Every move clears
/// the lock and raises REV_.
struct Transition {
    std::optional<JobPlace> to = {};  ///< nullopt: the row is deleted.
    TransitionReason reason = TransitionReason::completed;
    std::optional<TimePoint> due_date = {};
    int retries = 0;
    int attempts = 0;
    std::optional<JobFailure> failure = {};  ///< Set: message and details replace what the row had.
    std::string suspended_from = {};
    std::optional<std::string> payload = {};  ///< What a turn hands on to the next (R126).
    /// Set: from now on a message job of kWorkerOutcomeType, with this payload.
    std::optional<std::string> outcome = {};
    std::string needs = {};                     ///< Set: what the job needs and its node lacks.
    std::optional<TimePoint> failed_time = {};  ///< Of a dead letter: when it became one.

    bool operator==(const Transition&) const = default;
};

/// `payload`: for the next turn, if the job is one of a series that keeps its data.
[[nodiscard]] Transition completed(const Job& job, std::optional<std::string> payload = {});

/// An external worker has done its part, and has more to tell than that: a job of
/// kWorkerOutcomeType takes it to the app, with `retries` attempts of its own and without what
/// earlier failures have left. To its series the turn has completed.
[[nodiscard]] Transition handed_on(const Job& job, std::string outcome, int retries);

/// The handler failed. `policy` holds the configured defaults; the job's own retry cycle wins over
/// them.
///
/// On the first failure (attempts = 0; never judged by the message, which may be empty) a retry
/// cycle also sets how many attempts there are, unless the job's retries were set to something else
/// than the default. A job whose retry cycle cannot be read fails as if it had none; the message
/// says so.
[[nodiscard]] Transition
failed(const Job& job, const JobFailure& failure, const RetryPolicy& policy, TimePoint now);

/// Gives the job back without a run: the lock is cleared, nothing else (I5).
[[nodiscard]] Transition released(const Job& job);

/// Gives the job back because it will not start soon here after all. What has been due
/// goes back among the timers, which are taken in the order in which they are due; not what has
/// lost starts, or they would be forgotten.
[[nodiscard]] Transition given_back(const Job& job, TimePoint now);

/// Like a release, because the node lacks what the job `needs` (I7): from now on only nodes that
/// have it take the job.
[[nodiscard]] Transition not_served(const Job& job, std::string needs);

/// Every one of its last starts has ended the process that ran it: it is not started again. No
/// attempt is counted, because no handler has failed.
[[nodiscard]] Transition crash_loop(const Job& job, TimePoint now);

/// An operator takes it away from whoever runs it, or before anybody does: it does not run until
/// somebody requeues it. No attempt is counted. `message` says who and why; it is cut to its
/// column.
[[nodiscard]] Transition cancelled(const Job& job, std::string message, TimePoint now);

/// An operator has set its retries to 0: it does not run until somebody requeues it. No attempt is
/// counted. It keeps what its last failure said; without one the message says what was done.
[[nodiscard]] Transition given_up(const Job& job, TimePoint now);

/// The run ended without the handler being at fault (I5): it waits, and no retry is used.
[[nodiscard]] Transition interrupted(const Job& job, Duration wait, TimePoint now);

/// Its node died, and it is not to be run again: only turns of a series that says so.
[[nodiscard]] Transition let_go(const Job& job);

/// External worker jobs go to their own place, all others become executable.
[[nodiscard]] Transition fell_due(const Job& job);

/// As fell_due(), but by hand, whatever the due date is.
[[nodiscard]] Transition fired(const Job& job);

/// An operator gives a job that could run a due date: it waits among the timers.
[[nodiscard]] Transition postponed(const Job& job, TimePoint due_date);

/// Precondition: `from` is timer, executable or external_worker.
[[nodiscard]] Transition suspended(const Job& job, JobPlace from);

/// Back to where it came from. Rows that Flowable suspended do not say so; they go by TYPE_.
[[nodiscard]] Transition activated(const Job& job);

/// What is left of a transition when the job's instance, definition or series is suspended, or is
/// not; nullopt: the job stays where it is. Only suspended jobs are suspended, and only others are
/// activated: the suspension may have changed since somebody asked for it. A suspended timer with a
/// REPEAT_ that falls due is still the waiting turn of its series, and falls due anew when it is
/// activated. All else goes its way, and may be diverted at its end.
[[nodiscard]] std::optional<Transition>
with_suspension(const Job& job, Transition transition, bool is_suspended);

/// An operator deletes it.
[[nodiscard]] Transition removed(const Job& job);

/// In the place `bound_for` stands another job with its id, inserted by SQL, which no key prevents.
/// It waits for an operator; no attempt is counted, and the failure says why, with the job's own
/// message behind.
[[nodiscard]] Transition id_taken(const Job& job, JobPlace bound_for, TimePoint now);

/// Columns of its row hold what they cannot mean; its message says which. It waits for an operator
/// with all else that it has, its REPEAT_ too; no attempt is counted.
[[nodiscard]] Transition unreadable(const Job& job, TimePoint now);

/// An operator gives a dead letter `retries` more attempts (>= 1), at once or at `due_date`. At
/// once means that it is due from now on: whoever asks how long it has waited is not told of the
/// time when it was dead. The exception data stays until the next failure or success.
[[nodiscard]] Transition
requeued(const Job& job, int retries, std::optional<TimePoint> due_date, TimePoint now);

}  // namespace jobstrand::schema
