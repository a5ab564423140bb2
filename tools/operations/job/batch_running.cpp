#include "tools/operations/job/batch_running.hpp"

#include "deadletter/batch_admin.hpp"
#include "tools/handlers/operator_jobs.hpp"
#include "tools/output/progress.hpp"
#include "tools/output/record_writer.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/process/signals.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using deadletter::BulkCounts;
using schema::Batch;
using schema::BatchOperation;
using schema::BatchState;

/// What happens to the jobs.
[[nodiscard]] std::string_view done_word_of(const Batch& batch) {
    switch (batch.order.operation) {
        case BatchOperation::requeue:
            return "requeued";
        case BatchOperation::remove:
            return "removed";
        case BatchOperation::change:
            break;
    }
    return "set";
}

/// The word for jobs that stay as they were, as the verbs have it that do few jobs.
[[nodiscard]] std::string_view left_word_of(const Batch& batch) {
    return batch.order.place == schema::JobPlace::dead_letter ? "skipped" : "locked";
}

/// Whether somebody wants the batch to stop here: at a terminal by a signal, in a service by its
/// end.
class StopRequest final {
public:
    explicit StopRequest(Session& session) : session_(session) {
        if (!session.is_for_client()) {
            signals_.emplace();
        }
    }

    [[nodiscard]] bool is_made() {
        const auto stop = StopSignals::Event::stop;
        const bool is_signalled = signals_ && signals_->wait(schema::Duration{0}) == stop;
        return is_signalled || session_.must_stop();
    }

private:
    Session& session_;
    std::optional<StopSignals> signals_;
};

[[nodiscard]] std::string how_it_stands(const Batch& batch) {
    return fmt::format("{} of {} were {}", batch.done, batch.total, done_word_of(batch));
}

[[noreturn]] void print_stop(const Batch& batch, std::string_view why) {
    const std::string_view go_on =
        batch.state == BatchState::cancelled
            ? std::string_view()
            : std::string_view("; go on with `jobstrand batch resume {}`");
    throw CliError(
        ExitCode::partly_done,
        fmt::format("{}: {}", why, how_it_stands(batch)) +
            fmt::format(fmt::runtime(go_on), batch.id)
    );
}

[[nodiscard]] ExitCode report(Session& session, const Batch& batch, const Record& more) {
    Record record{
        number_field(done_word_of(batch), batch.done),
        number_field(left_word_of(batch), batch.skipped)};
    if (batch.refused > 0) {
        record.push_back(number_field("refused", batch.refused));
    }
    record.push_back(text_field("batch", batch.id));
    record.insert(record.end(), more.begin(), more.end());
    write_record(session.streams().out, session.format(), record);
    return code_of(batch.done, batch.refused);
}

[[nodiscard]] ExitCode print_begun(Session& session, const Batch& batch, const Record& more) {
    session.count_changes(1);
    Record record{text_field("batch", batch.id), number_field("total", batch.total)};
    record.insert(record.end(), more.begin(), more.end());
    write_record(session.streams().out, session.format(), record);
    return ExitCode::done;
}

}  // namespace

std::optional<ExitCode>
run_as_batch(Session& session, persistence::NewBatch batch, const BatchManner& manner) {
    if (session.is_narrowed() && !manner.in_background) {
        return std::nullopt;  // A batch selects among all jobs.
    }
    deadletter::BatchAdmin admin = session.batches();
    const bool can_keep = persistence::BatchStore::can_keep(batch.filter);
    if (manner.in_background && !can_keep) {
        throw WrongUsage("the filter is too long for --background");
    }
    if (!manner.in_background && (batch.total <= deadletter::kWorthABatch || !can_keep)) {
        return std::nullopt;
    }
    batch.order.who = session.actor();
    batch.order.reason = session.reason();
    if (!manner.in_background) {
        return carry_out_batch(session, admin.begin(batch), manner.more);
    }
    batch.carrier = batch_job(session.settings().batch_job_priority);
    return print_begun(session, admin.begin(batch), manner.more);
}

ExitCode carry_out_batch(Session& session, const Batch& batch, const Record& more) {
    deadletter::BatchAdmin admin = session.batches();
    StopRequest stop(session);
    bool was_stopped = false;
    std::optional<Batch> after;
    {
        Progress progress(session.streams(), session.clock(), done_word_of(batch), batch.done);
        const auto on_page = [&](const BulkCounts& so_far) {
            progress.show(so_far.done, so_far.total);
            was_stopped = stop.is_made();
            return !was_stopped;
        };
        after = admin.carry_out(batch.id, {.on_page = on_page}, schema::sleep_for);
    }
    if (!after) {
        throw NotFound("the batch {} is gone", batch.id);
    }
    session.count_changes(after->done - batch.done);
    if (after->state == BatchState::running && was_stopped) {
        print_stop(*after, session.must_stop() ? "the service stops" : "interrupted");
    }
    if (after->state != BatchState::done) {
        print_stop(*after, fmt::format("somebody else {} it", name_of(after->state)));
    }
    return report(session, *after, more);
}

ExitCode leave_to_nodes(Session& session, const Batch& batch) {
    schema::Job carrier = batch_job(session.settings().batch_job_priority);
    const auto found = session.search().find(batch.id);
    if (!found) {
        carrier.id = batch.id;
        std::vector<executor::NewJob> jobs(1);
        jobs.front().job = std::move(carrier);
        (void)session.enqueueing().enqueue_all(std::move(jobs));
    } else if (found->placed.place == schema::JobPlace::dead_letter) {
        const auto its_job = deadletter::JobSelection::these({batch.id});
        session.dead_letters().requeue(its_job, {.retries = carrier.retries});
    }
    return print_begun(session, batch, {});
}

}  // namespace jobstrand::cli
