#include "tools/jobstrand/commands/batch/batch_running.hpp"

#include "tools/jobstrand/output/progress.hpp"
#include "tools/jobstrand/output/record_writer.hpp"
#include "tools/jobstrand/stop_signals.hpp"

#include <fmt/format.h>

#include <thread>
#include <utility>

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
    return "changed";
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

[[noreturn]] void tell_of_stop(const Batch& batch, std::string_view why) {
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
        number_field(done_word_of(batch), batch.done), number_field("skipped", batch.skipped)};
    if (batch.refused > 0) {
        record.push_back(number_field("refused", batch.refused));
    }
    record.push_back(text_field("batch", batch.id));
    record.insert(record.end(), more.begin(), more.end());
    write_record(session.streams().out, session.format(), record);
    if (batch.refused == 0) {
        return ExitCode::done;
    }
    return batch.done > 0 ? ExitCode::partly_done : ExitCode::refused;
}

}  // namespace

std::optional<persistence::NewBatch>
worth_a_batch(Session& session, persistence::NewBatch batch, std::int64_t jobs) {
    if (jobs <= deadletter::kWorthABatch || !session.batches().can_keep(batch.filter)) {
        return std::nullopt;
    }
    batch.order.who = session.actor();
    batch.order.reason = session.reason();
    return batch;
}

ExitCode run_as_batch(Session& session, const persistence::NewBatch& batch, const Record& more) {
    return carry_out_batch(session, session.batches().begin(batch), more);
}

ExitCode carry_out_batch(Session& session, const Batch& batch, const Record& more) {
    deadletter::BatchDesk desk = session.batches();
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
        const auto wait = [](schema::Duration time) { std::this_thread::sleep_for(time); };
        after = desk.carry_out(batch.id, {.on_page = on_page}, wait);
    }
    if (!after) {
        throw CliError(ExitCode::not_found, fmt::format("the batch {} is gone", batch.id));
    }
    session.count_changes(after->done - batch.done);
    if (after->state == BatchState::running && was_stopped) {
        tell_of_stop(*after, session.must_stop() ? "the service stops" : "interrupted");
    }
    if (after->state != BatchState::done) {
        tell_of_stop(*after, fmt::format("somebody else {} it", name_of(after->state)));
    }
    return report(session, *after, more);
}

}  // namespace jobstrand::cli
