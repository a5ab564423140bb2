#include "tools/operations/dead_listing.hpp"
#include "tools/operations/dead_requeue.hpp"
#include "tools/operations/job/job_showing.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/parameters/schedule_options.hpp"
#include "tools/records/job_json.hpp"

namespace jobstrand::cli {

namespace {

using Kind = DescribedResult::Kind;

[[nodiscard]] const Parameters<DeadListOptions>& dead_listing() {
    static const Parameters<DeadListOptions> all = with_part<DeadListOptions>(
        {{"--newest", &DeadListOptions::newest, "Those that died last come first"}},
        job_list_parameters(),
        [](DeadListOptions& options) -> ListOptions& { return options; }
    );
    return all;
}

[[nodiscard]] const Parameters<ShowOptions>& dead_showing() {
    static const Parameters<ShowOptions> all{
        {"id",
         ParameterTarget<ShowOptions>(
             ParameterKind::text,
             [](ShowOptions& options, const auto& texts, const auto&...) {
                 options.id = texts.back();
                 options.place = schema::JobPlace::dead_letter;
             }
         ),
         "The job",
         {.is_required = true}},
    };
    return all;
}

[[nodiscard]] const Parameters<GroupsOptions>& dead_grouping() {
    static const Parameters<GroupsOptions> all = with_part<GroupsOptions>(
        {{"--limit",
          ParameterTarget<GroupsOptions>::raw(ParameterKind::number, &GroupsOptions::limit),
          "Show at most so many groups (default 100)",
          {.unit = "N"}},
         {"--soon", &GroupsOptions::soon, kSoon}},
        job_filter_parameters(),
        &GroupsOptions::filter
    );
    return all;
}

[[nodiscard]] const Parameters<DeadBulkOptions>& group_parameter() {
    static const Parameters<DeadBulkOptions> all{
        {"--group",
         &DeadBulkOptions::group,
         "All of one group; `dead groups` names them",
         {.unit = "GROUP", .may_be_empty = true}},
    };
    return all;
}

/// --group, ids, filters, --all, --dry-run, --yes, --background.
[[nodiscard]] const Parameters<DeadBulkOptions>& dead_choice() {
    const auto base = [](DeadBulkOptions& options) -> BulkOptions& { return options; };
    static const Parameters<DeadBulkOptions> all = with_part<DeadBulkOptions>(
        with_part<DeadBulkOptions>(group_parameter(), bulk_job_parameters(), base),
        background_parameter(),
        base
    );
    return all;
}

[[nodiscard]] const Parameters<RequeueOptions>& requeueing() {
    using Target = ParameterTarget<RequeueOptions>;
    static const Parameters<RequeueOptions> retries{
        {"--retries",
         Target::raw(ParameterKind::number, &RequeueOptions::retries),
         "New attempts (default: as for a new job)"},
    };
    static const Parameters<RequeueOptions> pace{
        {"--rate",
         Target::raw(ParameterKind::number, &RequeueOptions::rate),
         "Requeue so many a second at most",
         {.unit = "N"}},
        {"--spread",
         Target::raw(ParameterKind::duration, &RequeueOptions::spread),
         "Spread their due dates over this time",
         {.unit = "DURATION"}},
        {"--probe", &RequeueOptions::probe, "One first; the others when it has succeeded"},
        {"--probe-wait",
         Target::raw(ParameterKind::duration, &RequeueOptions::probe_wait),
         "How long the first may take (default 5m)",
         {.unit = "DURATION"}},
        {"--payload",
         &RequeueOptions::payload,
         "Another payload of one job: JSON, or @FILE, or - for stdin",
         {.unit = "JSON", .may_be_empty = true}},
    };
    static const Parameters<RequeueOptions> all = with_part<RequeueOptions>(
        joined(
            with_part<RequeueOptions>(
                with_part<RequeueOptions>(
                    retries,
                    due_parameters(
                        "Not before a time, any timer text", "Not before a time from now: 10m, 2h"
                    ),
                    &RequeueOptions::due
                ),
                due_context_parameters(),
                &RequeueOptions::due
            ),
            pace
        ),
        dead_choice(),
        &RequeueOptions::bulk
    );
    return all;
}

[[nodiscard]] const Parameters<DeadBulkOptions>& exporting() {
    static const Parameters<DeadBulkOptions> ids{
        {"ids",
         ParameterTarget<DeadBulkOptions>(
             ParameterKind::texts,
             [](DeadBulkOptions& options, const auto& texts, const auto&...) {
                 options.ids = texts;
             }
         ),
         "The jobs; - reads them from stdin",
         {.unit = "ID"}},
        {"--all",
         ParameterTarget<DeadBulkOptions>(
             ParameterKind::flag,
             [](DeadBulkOptions& options, const auto&...) { options.all = true; }
         ),
         "All of them"},
    };
    static const Parameters<DeadBulkOptions> all = with_part<DeadBulkOptions>(
        joined(ids, group_parameter()),
        job_filter_parameters(),
        [](DeadBulkOptions& options) -> JobFilterOptions& { return options.filter; }
    );
    return all;
}

[[nodiscard]] DescribedResult described_dead_letter() {
    std::vector<DescribedField> fields = described_job();
    fields.push_back({"exceptionDetails", "Its stack trace or output", {.is_nullable = true}, false}
    );
    return {.kind = Kind::record, .fields = fields};
}

}  // namespace

OperationNoun dead_noun() {
    return {
        .name = "dead",
        .summary = "Dead letters: jobs that have used up their retries",
        .examples =
            "  jobstrand dead ls\n"
            "  jobstrand dead groups\n"
            "  jobstrand dead show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
            "  jobstrand dead requeue --all --retries 1",
        .operations =
            {
                writing_operation(
                    {.words = "dead ls",
                     .summary = "List dead letters, in the order in which their jobs were created",
                     .examples =
                         "  jobstrand dead ls --newest --limit 20\n"
                         "  jobstrand dead ls --message 'connection refused' --failed-after "
                         "2026-11-20T09:00Z\n"
                         "  jobstrand dead ls --type send-invoice --limit 1000 -o csv",
                     .role = service::Role::read,
                     .path = "GET /api/v1/dead",
                     .honours_scope = true},
                    dead_listing(),
                    {.kind = Kind::page, .fields = described_job()},
                    list_dead
                ),
                writing_operation(
                    {.words = "dead show",
                     .summary = "Show a dead letter with its message and its stack trace or output",
                     .examples = "  jobstrand dead show 019c5e2a-8d11-7000-8000-3c8f0a6d1b52",
                     .role = service::Role::read,
                     .path = "GET /api/v1/dead/{job}",
                     .honours_scope = true},
                    dead_showing(),
                    described_dead_letter(),
                    show_job
                ),
                writing_operation(
                    {.words = "dead groups",
                     .summary = "Group dead letters by what they died of, the most frequent first",
                     .examples = "  jobstrand dead groups\n"
                                 "  jobstrand dead groups --failed-after 1h -o json\n"
                                 "  jobstrand dead groups --soon",
                     .role = service::Role::read,
                     .path = "GET /api/v1/dead/groups",
                     .honours_scope = true},
                    dead_grouping(),
                    {.kind = Kind::list, .fields = described(dead_group_fields())},
                    list_causes
                ),
                writing_operation(
                    {.words = "dead requeue",
                     .summary = "Give dead letters new attempts",
                     .examples =
                         "  jobstrand dead requeue --all --retries 1\n"
                         "  jobstrand dead requeue --type send-invoice --spread PT10M\n"
                         "  jobstrand dead requeue --message timeout --rate 50 --yes\n"
                         "  jobstrand dead requeue --all --rate 500 --background\n"
                         "  jobstrand dead requeue --group 365d5653fd0c --probe --spread PT10M\n"
                         "  jobstrand dead requeue 019c5e2a-8d11-7000-8000-3c8f0a6d1b52 --payload "
                         "@mended.json\n"
                         "  jobstrand dead requeue --message timeout --dry-run\n"
                         "  jobstrand dead ls --failed-after 2026-11-20 -o name | jobstrand dead "
                         "requeue -",
                     .path = "POST /api/v1/dead/requeue",
                     .honours_scope = true},
                    requeueing(),
                    described_change("requeued", "skipped"),
                    requeue_dead
                ),
                writing_operation(
                    {.words = "dead rm",
                     .summary = "Delete dead letters for good",
                     .examples = "  jobstrand dead rm 019c5e2a-8d11-7000-8000-3c8f0a6d1b52\n"
                                 "  jobstrand dead rm --created-before 2026-01-01 --yes\n"
                                 "  jobstrand dead rm --group 365d5653fd0c --dry-run",
                     .path = "POST /api/v1/dead/rm",
                     .honours_scope = true},
                    dead_choice(),
                    described_change("removed", "skipped"),
                    remove_dead
                ),
                writing_operation(
                    {.words = "dead export",
                     .summary = "Write dead letters with all that brings them back, one JSON "
                                "object a line",
                     .examples = "  jobstrand dead export --all > dead.jsonl\n"
                                 "  jobstrand dead export --failed-before 2026-01-01 > old.jsonl",
                     .role = service::Role::read,
                     .honours_scope = true},
                    exporting(),
                    {.kind = Kind::list, .fields = described_job()},
                    export_dead
                ),
                writing_operation<DeadImportOptions>(
                    {.words = "dead import",
                     .summary =
                         "Bring exported dead letters back; those that are there are skipped",
                     .examples = "  jobstrand dead import dead.jsonl\n"
                                 "  zcat old.jsonl.gz | jobstrand dead import -",
                     .honours_scope = true},
                    {{"file",
                      &DeadImportOptions::file,
                      "What `dead export` has written; - for stdin",
                      {.unit = "FILE.jsonl", .is_required = true, .may_be_empty = true}}},
                    {.kind = Kind::record, .fields = {}},
                    import_dead
                ),
            },
    };
}

}  // namespace jobstrand::cli
