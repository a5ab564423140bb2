#include "tools/operations/operation.hpp"

#include "tools/operations/nouns.hpp"
#include "tools/output/record_writer.hpp"
#include "tools/parameters/listing.hpp"
#include "tools/parameters/option_values.hpp"

#include <algorithm>
#include <memory>

namespace jobstrand::cli {

namespace {

void read_limit(PageRequest& page, const std::string& text, const ParameterReading& reading) {
    page.limit = limit_of(reading.session, text, reading.label);
}

}  // namespace

std::vector<std::size_t> in_path(const Operation& operation) {
    const auto most = static_cast<std::size_t>(std::ranges::count(operation.text.path, '{'));
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < operation.parameters.size() && found.size() < most; ++i) {
        if (operation.parameters[i].is_argument()) {
            found.push_back(i);
        }
    }
    return found;
}

std::vector<std::size_t> beside_path(const Operation& operation) {
    const std::vector<std::size_t> path = in_path(operation);
    std::vector<std::size_t> found;
    for (std::size_t i = 0; i < operation.parameters.size(); ++i) {
        const ParameterRules& rules = operation.parameters[i].rules;
        const bool is_of_machine = rules.unit.starts_with("FILE") || rules.is_for_terminal;
        if (!is_of_machine && std::ranges::find(path, i) == path.end()) {
            found.push_back(i);
        }
    }
    return found;
}

DescribedResult described_items(std::string_view field) {
    return {
        .kind = DescribedResult::Kind::items,
        .fields = {
            {field, "What was named", {}},
            {"answer", "What became of it", {}},
            {"why", "Why it was not done; null: it was", {.is_nullable = true}},
        }};
}

DescribedResult described_change(std::string_view done, std::string_view left) {
    const JsonType count{.name = "integer"};
    DescribedResult result = described_items("id");
    result.of_all = {
        {done, "How many", count, false},
        {left, "Those that a node held, or that somebody else had changed", count, false},
        {"refused", "Those that must not be changed", count, false},
        {"batch", "The batch that does it", {}, false},
        {"total", "How many the batch is about", count, false},
    };
    return result;
}

Parameters<PageRequest> page_parameters() {
    return {
        {"--limit",
         {read_limit, ParameterKind::number},
         "Show at most so many (default 100)",
         {.unit = "N", .least = 1, .most = kListedForClients}},
        {"--after",
         &PageRequest::after,
         "Go on behind this one",
         {.unit = "ID", .may_be_empty = true}},
    };
}

Parameters<BulkFlags> bulk_parameters() {
    return {
        {"--all", &BulkFlags::all, "All of them"},
        {"--dry-run", &BulkFlags::dry_run, "Show what would be changed, and change nothing"},
        {"-y,--yes", &BulkFlags::yes, "Do not ask"},
    };
}

Parameters<BulkOptions> bulk_job_parameters() {
    return joined(
        Parameters<BulkOptions>{
            {"ids",
             &BulkOptions::ids,
             "The jobs; - reads them from stdin",
             {.unit = "ID", .is_raw = true}}},
        of_base<BulkOptions>(bulk_parameters()),
        of_part(job_filter_parameters(), &BulkOptions::filter)
    );
}

Parameters<ListOptions> job_list_parameters() {
    using Target = ParameterTarget<ListOptions>;
    return joined(
        Parameters<ListOptions>{
            {"--limit",
             Target::raw(ParameterKind::number, &ListOptions::limit),
             "Show at most so many (default 100)",
             {.unit = "N", .least = 1, .most = kListedForClients}},
            {"--after",
             &ListOptions::after,
             "Go on behind this one",
             {.unit = "ID", .may_be_empty = true}}},
        of_part(job_filter_parameters(), &ListOptions::filter)
    );
}

Parameters<BulkOptions> background_parameter() {
    return {
        {"--background", &BulkOptions::in_background, "A node of the service does it: see `batch`"},
    };
}

Parameters<RemovalBound> removal_parameters() {
    return {
        {"--before",
         &RemovalBound::before,
         "What is older is removed",
         {.unit = "DATE", .is_required = true}},
    };
}

const Fields<RemovedCount>& removed_fields() {
    static const Fields<RemovedCount> all{{.name = "removed", .value = &RemovedCount::removed}};
    return all;
}

RemovedCount counted(Session& session, std::int64_t removed) {
    session.count_changes(removed);
    return {removed};
}

void read_parameters(
    const std::vector<Parameter>& parameters,
    const GivenTexts& given,
    Session& session,
    void* values
) {
    for (std::size_t i = 0; i < parameters.size(); ++i) {
        if (!given.texts[i].empty()) {
            parameters[i].read(values, given.texts[i], {session, given.labels[i]});
        }
    }
}

void write_result(Session& session, const Record& record) {
    write_record(session.streams().out, session.format(), record, session.style());
}

void write_result(
    Session& session,
    const std::vector<Record>& records,
    const std::vector<TableColumn>& columns
) {
    write_items(session, records, columns, [](const Record& record) -> const Record& {
        return record;
    });
}

void print_more(Session& session, std::string_view last) {
    session.note_more(last);
    session.tell("there are more: go on with --after {}", last);
}

std::span<const OperationNoun> operation_nouns() {
    static const std::vector<OperationNoun> all{
        serve_verb(),    demo_verb(),       schema_noun(),   job_noun(),   timer_noun(),
        series_noun(),   group_noun(),      calendar_noun(), dead_noun(),  batch_noun(),
        instance_noun(), definition_noun(), tenant_noun(),   limit_noun(), lock_noun(),
        node_noun(),     type_noun(),       rate_noun(),     log_noun(),   incident_noun(),
        audit_noun(),    token_noun(),      stats_verb(),    top_verb(),   doctor_verb(),
        config_noun(),   completion_noun(), manual_verb(),
    };
    return all;
}

const Operation* operation_named(std::string_view words) {
    for (const OperationNoun& noun : operation_nouns()) {
        for (const Operation& operation : noun.operations) {
            if (operation.text.words == words) {
                return &operation;
            }
        }
    }
    return nullptr;
}

const Operation* served_operation_named(std::string_view words) {
    const Operation* const found = operation_named(words);
    return found == nullptr || found->text.is_local ? nullptr : found;
}

}  // namespace jobstrand::cli
