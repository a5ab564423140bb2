#include "deadletter/failure_cause.hpp"
#include "tools/operations/job/job_showing.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/output/progress.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/records/job_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using Kind = DescribedResult::Kind;
using deadletter::CauseGroup;
using deadletter::CauseSummary;
using schema::PlacedJob;

struct DeadListOptions : ListOptions {
    bool newest = false;
};

struct GroupsOptions {
    JobFilterOptions filter;
    std::string limit = "100";
    bool soon = false;
};

[[nodiscard]] Parameters<DeadListOptions> dead_listing() {
    return joined(
        Parameters<DeadListOptions>{
            {"--newest", &DeadListOptions::newest, "Those that died last come first"}},
        of_base<DeadListOptions>(job_list_parameters())
    );
}

[[nodiscard]] Parameters<GroupsOptions> dead_grouping() {
    return joined(
        Parameters<GroupsOptions>{
            {"--limit",
             ParameterTarget<GroupsOptions>::raw(ParameterKind::number, &GroupsOptions::limit),
             "Show at most so many groups (default 100)",
             {.unit = "N"}},
            {"--soon", &GroupsOptions::soon, kSoon}},
        of_part(job_filter_parameters(), &GroupsOptions::filter)
    );
}

/// All of them stand in one place, without retries and locks.
const std::vector<TableColumn>& dead_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64, .is_job_id = true},
        {.field = "handlerType", .heading = "TYPE", .rank = 1},
        {.field = "failedTime", .heading = "DIED", .rank = 3},
        {.field = "age", .heading = "AGE", .is_optional = true, .rank = 3},
        {.field = "attempts", .heading = "ATTEMPTS", .rank = 4},
        {.field = "series", .heading = "SERIES", .width_max = 64, .is_optional = true, .rank = 6},
        {.field = "processInstanceId", .heading = "INSTANCE", .rank = 7},
        {.field = "exceptionMessage",
         .heading = "LAST FAILURE",
         .width_max = 60,
         .rank = 2,
         .width_least = 16,
         .tone = Tone::bad},
    };
    return columns;
}

/// The age is for people: what is read by programs says when, and can be read again as it is. On a
/// terminal the time of death is told from now, which is the age.
[[nodiscard]] bool shows_age(const Session& session) {
    return session.format() == OutputFormat::table && !session.style().columns;
}

[[nodiscard]] Record record_of_dead(const PlacedJob& placed, bool has_age, schema::TimePoint now) {
    Record record = record_of(placed);
    if (has_age) {
        const auto& failed = placed.job.failed_time;
        record.push_back(text_or_null_field("age", failed ? age_text(now - *failed) : ""));
    }
    return record;
}

[[nodiscard]] schema::Page<PlacedJob> newest(Session& session, const DeadListOptions& options) {
    auto page = session.dead_letters().newest(
        filter_of(session, options.filter), options.after, limit_of(session, options.limit)
    );
    if (!page) {
        throw NotFound(
            "{} is no dead letter any more, so there is no going on behind it: begin anew, or "
            "with --failed-before",
            quoted_if_needed(options.after)
        );
    }
    return std::move(*page);
}

[[nodiscard]] ExitCode list_dead(Session& session, const DeadListOptions& options) {
    const deadletter::JobPage page = options.newest ? deadletter::JobPage{newest(session, options)}
                                                    : session.dead_letters().list(
                                                          filter_of(session, options.filter),
                                                          options.after,
                                                          limit_of(session, options.limit)
                                                      );
    const schema::TimePoint now = session.database_now();
    const bool has_age = shows_age(session);
    write_page(
        session,
        page,
        dead_columns(),
        [&](const PlacedJob& placed) { return record_of_dead(placed, has_age, now); },
        [](const PlacedJob& placed) { return placed.job.id; }
    );
    print_rest(session, page, &schema::Job::id);
    return ExitCode::done;
}

[[nodiscard]] CauseSummary read_dead_causes(Session& session, const GroupsOptions& options) {
    if (options.soon) {
        return deadletter::latest_causes(
            session.store(), deadletter::kRowsSoon, filter_of(session, options.filter)
        );
    }
    Progress progress(session.streams(), session.clock(), "read");
    return session.dead_letters().causes(
        filter_of(session, options.filter),
        {.on_page =
             [&](const deadletter::BulkCounts& counts) {
                 progress.show(counts.done, counts.total);
                 if (session.must_stop()) {
                     throw Failed("the service stops: ask again");
                 }
                 return true;
             }}
    );
}

[[nodiscard]] const Fields<CauseGroup>& dead_group_fields() {
    const auto of_cause = [](auto member) {
        return [member](const CauseGroup& group) { return group.cause.*member; };
    };
    using deadletter::FailureCause;
    static const Fields<CauseGroup> all{
        {.name = "group",
         .value = &CauseGroup::id,
         .meaning = "What `dead requeue --group` takes",
         .column = {.heading = "GROUP"}},
        {.name = "jobs", .value = &CauseGroup::jobs, .column = {.heading = "JOBS"}},
        {.name = "handlerType",
         .value = of_cause(&FailureCause::handler_type),
         .column = {.heading = "TYPE", .rank = 1},
         .is_null_if_empty = true},
        {.name = "errorClass",
         .value = of_cause(&FailureCause::error_class),
         .column = {.heading = "ERROR", .width_max = 64, .rank = 2, .width_least = 12},
         .is_null_if_empty = true},
        {.name = "message",
         .value = of_cause(&FailureCause::message),
         .column =
             {.heading = "MESSAGE",
              .width_max = 80,
              .rank = 2,
              .width_least = 16,
              .tone = Tone::bad},
         .is_null_if_empty = true},
        {.name = "firstFailedTime",
         .value = &CauseGroup::first_failed,
         .column = {.heading = "FIRST", .rank = 4},
         .place = 2},
        {.name = "lastFailedTime",
         .value = &CauseGroup::last_failed,
         .column = {.heading = "LAST", .rank = 3},
         .place = 1},
        {.name = "exampleId",
         .value = &CauseGroup::example,
         .column = {.heading = "EXAMPLE", .width_max = 64, .is_job_id = true, .rank = 5},
         .place = 3},
        {.name = "lookedAt",
         .value = &CauseGroup::looked_at,
         .meaning = "Of how many of the latest dead letters these are; null: of all"},
    };
    return all;
}

/// The most frequent first. All dead letters are read, or the latest ones where it is to be
/// answered soon; what is beyond a bound is counted on stderr.
[[nodiscard]] ExitCode list_causes(Session& session, const GroupsOptions& options) {
    const std::size_t limit = limit_of(session, options.limit);
    const CauseSummary summary = read_dead_causes(session, options);
    write_items(
        session,
        std::vector<CauseGroup>(
            summary.groups.begin(),
            summary.groups.begin() +
                static_cast<std::ptrdiff_t>(std::min(limit, summary.groups.size()))
        ),
        columns_of(dead_group_fields()),
        [](const CauseGroup& group) { return record_of(dead_group_fields(), group); }
    );
    if (summary.looked_at) {
        session.note_looked_at(*summary.looked_at);
        session.tell(
            "these are of the latest {} dead letters; without --soon all are read",
            *summary.looked_at
        );
    }
    if (summary.groups.size() > limit) {
        session.tell(
            "there are {} more groups: say --limit, or a filter", summary.groups.size() - limit
        );
    }
    if (summary.others > 0) {
        session.tell(
            "{} dead letters are of further causes than the {} that are told apart: take a filter",
            summary.others,
            deadletter::kCausesKept
        );
    }
    return ExitCode::done;
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
        .operations = joined(
            std::vector<Operation>{
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
                    one_name("id", "The job"),
                    described_dead_letter(),
                    show_dead_letter
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
            },
            dead_change_operations(),
            dead_copy_operations()
        ),
    };
}

}  // namespace jobstrand::cli
