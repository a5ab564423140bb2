#include "tools/operations/nouns.hpp"
#include "tools/text/terminal_text.hpp"

namespace jobstrand::cli {

namespace {

using deadletter::LimitSummary;
using schema::JobLimit;

[[nodiscard]] const Fields<JobLimit>& limit_fields() {
    static const Fields<JobLimit> all{
        {.name = "limit",
         .value = [](const JobLimit& limit) { return schema::name_of(limit); },
         .meaning = "Kind and value: type:mail, tenant:*",
         .column = {.heading = "LIMIT", .width_max = 64}},
        {.name = "concurrent",
         .value = &JobLimit::concurrent,
         .meaning = "The most that run over all nodes",
         .column = {.heading = "CONCURRENT"}},
        {.name = "perNode",
         .value = &JobLimit::per_node,
         .meaning = "The most that run on one node",
         .column = {.heading = "PER NODE"}},
        {.name = "rate",
         .value =
             [](const JobLimit& limit) {
                 return limit.rate ? std::optional(schema::text_of(*limit.rate)) : std::nullopt;
             },
         .meaning = "The most that start in any stretch of time this long: 100/PT1M",
         .column = {.heading = "RATE"}},
    };
    return all;
}

[[nodiscard]] const Fields<LimitSummary>& summary_fields() {
    static const Fields<LimitSummary> all = joined(
        fields_of_part<LimitSummary>(limit_fields(), &LimitSummary::limit),
        {
            {.name = "running",
             .value = &LimitSummary::running,
             .meaning = "Jobs that run within it; with a limit of each value, of all together",
             .column = {.heading = "RUNNING"}},
            {.name = "waiting",
             .value = &LimitSummary::waiting,
             .meaning = "Jobs that wait for it",
             .column = {.heading = "WAITING"}},
        }
    );
    return all;
}

void read_name(JobLimit& limit, const std::string& text, const ParameterReading&) {
    const JobLimit named = schema::limit_named(text);
    limit.kind = named.kind;
    limit.value = named.value;
}

void read_rate(JobLimit& limit, const std::string& text, const ParameterReading& reading) {
    const auto rate = schema::parse_start_rate(text);
    if (!rate) {
        refuse_parameter(reading, ": " + rate.error().message);
    }
    limit.rate = rate.value();
}

[[nodiscard]] Parameters<JobLimit> set_parameters() {
    static const ParameterRules count{.unit = "N", .least = 0, .most = schema::kMostConcurrent};
    return {
        {"name",
         read_name,
         "type, definition, tenant or category, and a value or *",
         {.unit = "KIND:VALUE", .is_required = true}},
        {"--concurrent", &JobLimit::concurrent, "The most that run over all nodes", count},
        {"--per-node", &JobLimit::per_node, "The most that run on one node", count},
        {"--rate",
         read_rate,
         "The most that start in any stretch of time this long",
         {.unit = "N/PERIOD"}},
    };
}

[[nodiscard]] std::vector<LimitSummary> list_limits(Session& session, const NoParameters&) {
    return session.limits().list();
}

[[nodiscard]] JobLimit set_limit(Session& session, const JobLimit& limit) {
    session.limits().set(limit);
    session.count_changes(1);
    return limit;
}

void remove_limits(Session& session, const NamedThings& named, const deadletter::BulkWatch& watch) {
    session.limits().remove(named.names, watch);
}

}  // namespace

OperationNoun limit_noun() {
    return {
        .name = "limit",
        .summary = "Limits of how many jobs run at the same time, and how often they start",
        .examples =
            "  jobstrand limit set type:mail --concurrent 5\n"
            "  jobstrand limit ls",
        .operations =
            {
                list_operation<NoParameters>(
                    {.words = "limit ls",
                     .summary = "List the limits, and how many jobs run and wait within them",
                     .examples = "  jobstrand limit ls\n"
                                 "  jobstrand limit ls -o json",
                     .role = service::Role::read,
                     .path = "GET /api/v1/limits"},
                    {},
                    summary_fields(),
                    list_limits
                ),
                record_operation(
                    {.words = "limit set",
                     .summary =
                         "Set a limit, or give it other numbers; nodes hear of it within seconds",
                     .examples = "  jobstrand limit set type:mail --concurrent 5\n"
                                 "  jobstrand limit set 'tenant:*' --concurrent 20\n"
                                 "  jobstrand limit set type:report --per-node 2\n"
                                 "  jobstrand limit set type:call-partner --rate 100/PT1M",
                     .path = "PUT /api/v1/limits/{limit}"},
                    set_parameters(),
                    limit_fields(),
                    set_limit
                ),
                items_operation(
                    {.words = "limit rm",
                     .summary = "Remove limits; what waits for them runs",
                     .examples = "  jobstrand limit rm type:mail",
                     .path = "DELETE /api/v1/limits/{limit}"},
                    several_names("names", "The limits; - reads them from stdin", "KIND:VALUE"),
                    {.done = "removed",
                     .field = "limit",
                     .why_not = [](const auto& item
                                ) { return "there is no limit " + quoted_if_needed(item.id); }},
                    remove_limits
                ),
            },
    };
}

}  // namespace jobstrand::cli
