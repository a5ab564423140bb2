#include "schema/batch.hpp"
#include "tools/operations/job/batch_running.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/text/terminal_text.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace jobstrand::cli {

namespace {

using schema::Batch;
using schema::BatchOrder;
using schema::BatchState;

struct BatchResuming : NamedThing {
    bool in_background = false;  ///< A node goes on with it.
};

struct BatchIds {
    std::vector<std::string> ids;
};

/// The store's lines as one.
[[nodiscard]] std::string shown_selection(const Batch& batch) {
    std::string text;
    for (const char byte : batch.selection) {
        text += byte == '\n' ? std::string("; ") : std::string(1, byte);
    }
    text.resize(text.ends_with("; ") ? text.size() - 2 : text.size());
    return text.empty() ? "all" : text;
}

/// A field of the order.
template <typename Member>
[[nodiscard]] auto of_order(Member member) {
    return [member](const Batch& batch) { return batch.order.*member; };
}

[[nodiscard]] const Fields<Batch>& batch_fields() {
    const auto spread = [](const Batch& batch) {
        const schema::Duration over = batch.order.spread;
        return over > schema::Duration{0} ? std::optional(over) : std::nullopt;
    };
    const auto rate = [](const Batch& batch) {
        const std::int64_t per_second = batch.order.per_second;
        return per_second > 0 ? std::optional(per_second) : std::nullopt;
    };
    static const Fields<Batch> all{
        {.name = "id", .value = &Batch::id, .column = {.heading = "ID", .width_max = 64}},
        {.name = "operation",
         .value = of_order(&BatchOrder::operation),
         .column = {.heading = "OPERATION"}},
        {.name = "place", .value = of_order(&BatchOrder::place)},
        {.name = "state", .value = &Batch::state, .column = {.heading = "STATE"}},
        {.name = "total", .value = &Batch::total, .column = {.heading = "TOTAL"}, .place = 2},
        {.name = "done", .value = &Batch::done, .column = {.heading = "DONE"}, .place = 1},
        {.name = "skipped", .value = &Batch::skipped},
        {.name = "refused",
         .value = &Batch::refused,
         .column = {.heading = "REFUSED", .rank = 2},
         .place = 3},
        {.name = "selection",
         .value = shown_selection,
         .meaning = "Which jobs",
         .column = {.heading = "JOBS", .width_max = 60, .rank = 4, .width_least = 12},
         .place = 6},
        {.name = "group",
         .value = of_order(&BatchOrder::cause),
         .meaning = "Of dead letters, as `dead groups` names it",
         .is_null_if_empty = true},
        {.name = "retries", .value = of_order(&BatchOrder::retries)},
        {.name = "priority", .value = of_order(&BatchOrder::priority)},
        {.name = "dueDate", .value = of_order(&BatchOrder::due_date)},
        {.name = "spread",
         .value = spread,
         .meaning = "The time over which their due dates are spread"},
        {.name = "rate", .value = rate, .meaning = "Jobs a second at most"},
        {.name = "who",
         .value = of_order(&BatchOrder::who),
         .column = {.heading = "WHO", .width_max = 64, .rank = 3},
         .place = 5,
         .is_null_if_empty = true},
        {.name = "reason", .value = of_order(&BatchOrder::reason), .is_null_if_empty = true},
        {.name = "createTime",
         .value = &Batch::created,
         .column = {.heading = "BEGAN", .rank = 1},
         .place = 4},
        {.name = "endTime", .value = &Batch::ended},
        {.name = "cursor",
         .value = &Batch::cursor,
         .meaning = "The last job that was looked at",
         .is_null_if_empty = true},
    };
    return all;
}

[[nodiscard]] Batch found(std::optional<Batch> batch, const std::string& id) {
    if (!batch) {
        throw NotFound("there is no batch {}", quoted_if_needed(id));
    }
    return *std::move(batch);
}

void require_state(const Batch& batch, BatchState state) {
    if (batch.state != state) {
        throw Refused("the batch {} is {} and stays so", batch.id, name_of(batch.state));
    }
}

[[nodiscard]] schema::Page<Batch> list_batches(Session& session, const PageRequest& page) {
    return session.batches().list(page.after, page.limit);
}

[[nodiscard]] Batch show_batch(Session& session, const NamedThing& wanted) {
    return found(session.batches().find(wanted.name), wanted.name);
}

/// Whoever carries it out stops behind the page that is in hand.
[[nodiscard]] Batch pause_batch(Session& session, const NamedThing& wanted) {
    Batch batch = found(session.batches().pause(wanted.name), wanted.name);
    require_state(batch, BatchState::paused);
    session.count_changes(1);
    return batch;
}

[[nodiscard]] Batch cancel_batch(Session& session, const NamedThing& wanted) {
    Batch batch = found(session.batches().cancel(wanted.name), wanted.name);
    require_state(batch, BatchState::cancelled);
    session.count_changes(1);
    return batch;
}

[[nodiscard]] ExitCode resume_batch(Session& session, const BatchResuming& wanted) {
    const Batch batch = found(session.batches().find(wanted.name), wanted.name);
    if (batch.order.per_second > 0 && !wanted.in_background) {
        session.refuse_to_wait("a batch with a rate", "resume it with --background");
    }
    const Batch running = found(session.batches().resume(wanted.name), wanted.name);
    require_state(running, BatchState::running);
    return wanted.in_background ? leave_to_nodes(session, running)
                                : carry_out_batch(session, running);
}

[[nodiscard]] RemovedCount remove_batches(Session& session, const BatchIds& wanted) {
    RemovedCount count;
    for (const std::string& id : wanted.ids) {
        const Batch batch = found(session.batches().find(id), id);
        if (!session.batches().remove(id)) {
            throw Refused("the batch {} is {}: pause or cancel it first", id, name_of(batch.state));
        }
        session.count_changes(1);
        ++count.removed;
    }
    return count;
}

[[nodiscard]] Parameters<NamedThing> batch_id() {
    return one_name("id", "The batch", "ID");
}

[[nodiscard]] Parameters<BatchResuming> batch_resuming() {
    return joined(
        of_base<BatchResuming>(batch_id()),
        {{"--background", &BatchResuming::in_background, "A node of the service does it"}}
    );
}

/// What a batch that was gone on with has come to, or that a node does it.
[[nodiscard]] DescribedResult described_end() {
    const JsonType count{.name = "integer"};
    return {
        .kind = DescribedResult::Kind::record,
        .fields = {
            {"batch", "Its id", {}},
            {"total", "Jobs that are meant, of one that a node goes on with", count, false},
            {"requeued", "Of dead letters that are requeued", count, false},
            {"removed", "Of jobs that are removed", count, false},
            {"set", "Of jobs that are changed", count, false},
            {"skipped", "Dead letters that stay as they were", count, false},
            {"locked", "Jobs that stay as they were", count, false},
            {"refused", "Those that must not be changed", count, false},
        }};
}

}  // namespace

OperationNoun batch_noun() {
    return {
        .name = "batch",
        .summary = "Bulk operations on many jobs, which are written down and can be gone on with",
        .examples =
            "  jobstrand batch ls\n"
            "  jobstrand batch resume 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
        .operations =
            {
                page_operation(
                    {.words = "batch ls",
                     .summary = "List bulk operations and how far they have come, the latest first",
                     .examples = "  jobstrand batch ls\n"
                                 "  jobstrand batch ls --limit 5 -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/batches"},
                    page_parameters(),
                    batch_fields(),
                    list_batches
                ),
                record_operation(
                    {.words = "batch show",
                     .summary = "Show one bulk operation: what it does, and how far it has come",
                     .examples = "  jobstrand batch show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
                     .role = service::Role::read,
                     .path = "GET /api/v1/batches/{batch}"},
                    batch_id(),
                    batch_fields(),
                    show_batch
                ),
                record_operation(
                    {.words = "batch pause",
                     .summary = "Stop a bulk operation behind the page that is being done",
                     .examples = "  jobstrand batch pause 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
                     .path = "POST /api/v1/batches/{batch}/pause"},
                    batch_id(),
                    batch_fields(),
                    pause_batch
                ),
                writing_operation(
                    {.words = "batch resume",
                     .summary =
                         "Go on with one that was paused or interrupted; no job is changed twice",
                     .examples = "  jobstrand batch resume 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                                 "  jobstrand batch resume 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 "
                                 "--background",
                     .path = "POST /api/v1/batches/{batch}/resume"},
                    batch_resuming(),
                    described_end(),
                    resume_batch
                ),
                record_operation(
                    {.words = "batch cancel",
                     .summary = "End one for good; what is done stays done",
                     .examples = "  jobstrand batch cancel 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
                     .path = "POST /api/v1/batches/{batch}/cancel"},
                    batch_id(),
                    batch_fields(),
                    cancel_batch
                ),
                record_operation<BatchIds>(
                    {.words = "batch rm",
                     .summary =
                         "Forget bulk operations that are not running; the jobs stay as they are",
                     .examples = "  jobstrand batch rm 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
                     .path = "DELETE /api/v1/batches/{batch}"},
                    {{"ids",
                      &BatchIds::ids,
                      "The batches",
                      {.unit = "ID", .is_required = true, .is_raw = true}}},
                    removed_fields(),
                    remove_batches
                ),
            },
    };
}

}  // namespace jobstrand::cli
