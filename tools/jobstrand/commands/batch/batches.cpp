#include "tools/jobstrand/commands/batch/batches.hpp"

#include "tools/jobstrand/commands/batch/batch_running.hpp"
#include "tools/jobstrand/commands/listing.hpp"
#include "tools/jobstrand/commands/option_values.hpp"
#include "tools/jobstrand/json/batch_json.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <optional>

namespace jobstrand::cli {

namespace {

using schema::Batch;
using schema::BatchState;

const std::vector<TableColumn>& batch_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64},
        {.field = "operation", .heading = "OPERATION"},
        {.field = "state", .heading = "STATE"},
        {.field = "done", .heading = "DONE"},
        {.field = "total", .heading = "TOTAL"},
        {.field = "refused", .heading = "REFUSED", .rank = 2},
        {.field = "createTime", .heading = "BEGAN", .rank = 1},
        {.field = "who", .heading = "WHO", .width_max = 64, .rank = 3},
        {.field = "selection", .heading = "JOBS", .width_max = 60, .rank = 4, .width_least = 12},
    };
    return columns;
}

[[noreturn]] void refuse_unknown(const std::string& id) {
    throw CliError(ExitCode::not_found, fmt::format("there is no batch {}", quoted_if_needed(id)));
}

[[nodiscard]] Batch found(std::optional<Batch> batch, const std::string& id) {
    if (!batch) {
        refuse_unknown(id);
    }
    return *std::move(batch);
}

void require_state(const Batch& batch, BatchState state) {
    if (batch.state != state) {
        throw CliError(
            ExitCode::refused,
            fmt::format("the batch {} is {} and stays so", batch.id, name_of(batch.state))
        );
    }
}

[[nodiscard]] ExitCode tell(Session& session, const Batch& batch) {
    session.count_changes(1);
    write_record(session.streams().out, session.format(), record_of(batch));
    return ExitCode::done;
}

}  // namespace

ExitCode list_batches(Session& session, const BatchListOptions& options) {
    write_page(
        session,
        session.batches().list(options.after, limit_of(session, options.limit)),
        batch_columns(),
        [](const Batch& batch) { return record_of(batch); },
        &Batch::id
    );
    return ExitCode::done;
}

ExitCode show_batch(Session& session, const BatchOptions& options) {
    const Batch batch = found(session.batches().find(options.id), options.id);
    write_record(session.streams().out, session.format(), record_of(batch));
    return ExitCode::done;
}

ExitCode resume_batch(Session& session, const BatchOptions& options) {
    const Batch batch = found(session.batches().find(options.id), options.id);
    if (batch.order.per_second > 0 && !options.in_background) {
        session.refuse_to_wait("a batch with a rate", "resume it with --background");
    }
    const Batch running = found(session.batches().resume(options.id), options.id);
    require_state(running, BatchState::running);
    return options.in_background ? leave_to_nodes(session, running)
                                 : carry_out_batch(session, running);
}

ExitCode pause_batch(Session& session, const BatchOptions& options) {
    const Batch batch = found(session.batches().pause(options.id), options.id);
    require_state(batch, BatchState::paused);
    return tell(session, batch);
}

ExitCode cancel_batch(Session& session, const BatchOptions& options) {
    const Batch batch = found(session.batches().cancel(options.id), options.id);
    require_state(batch, BatchState::cancelled);
    return tell(session, batch);
}

ExitCode remove_batches(Session& session, const BatchRemoveOptions& options) {
    std::int64_t removed = 0;
    for (const std::string& id : options.ids) {
        const Batch batch = found(session.batches().find(id), id);
        if (!session.batches().remove(id)) {
            throw CliError(
                ExitCode::refused,
                fmt::format(
                    "the batch {} is {}: pause or cancel it first", id, name_of(batch.state)
                )
            );
        }
        session.count_changes(1);
        ++removed;
    }
    write_record(session.streams().out, session.format(), {number_field("removed", removed)});
    return ExitCode::done;
}

}  // namespace jobstrand::cli
