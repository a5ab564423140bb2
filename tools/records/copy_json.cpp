#include "tools/records/copy_json.hpp"

#include "schema/job_failure.hpp"
#include "schema/job_fields.hpp"
#include "schema/job_validation.hpp"
#include "tools/records/job_json.hpp"
#include "tools/text/json_text.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>

namespace jobstrand::cli {

namespace {

using persistence::JobCopy;
using schema::Job;
using schema::JobField;
using schema::JobPlace;

constexpr std::string_view kPlaceOfCopy = "place";
constexpr std::string_view kPayloadText = "payloadText";
constexpr std::string_view kDetailsOfCopy = "exceptionDetails";

/// What only this database can say.
[[nodiscard]] bool is_of_database(const JobField& field) {
    return field.is_about(&Job::revision) || field.is_about(&Job::exception_stack_id) ||
           field.is_about(&Job::custom_values_id);
}

[[nodiscard]] std::vector<const JobField*> copied_fields() {
    std::vector<const JobField*> fields;
    for (const JobField& field : schema::job_fields()) {
        if (field.is_in(JobPlace::dead_letter) && !is_of_database(field)) {
            fields.push_back(&field);
        }
    }
    return fields;
}

[[nodiscard]] const JobField* field_named(std::string_view name) {
    const std::vector<const JobField*> fields = copied_fields();
    const auto found = std::ranges::find(fields, name, &JobField::name);
    return found == fields.end() ? nullptr : *found;
}

[[nodiscard]] std::string unknown_field(std::string_view name) {
    std::vector<std::string_view> names{kPlaceOfCopy, kPayloadText, kDetailsOfCopy};
    std::ranges::transform(copied_fields(), std::back_inserter(names), &JobField::name);
    return fmt::format(
        "a dead letter has no field {}; did you mean {}?",
        printable(name),
        nearest_name(name, names)
    );
}

/// Returns what is wrong, to stand behind the name; empty: nothing.
[[nodiscard]] std::string
read_member(const JobField* field, const JsonMember& member, JobCopy& copy) {
    if (member.value == "null") {
        return {};
    }
    if (field != nullptr) {
        return read_field(*field, member.value, copy.job);
    }
    if (member.name == kPayloadText) {
        return read_text(member.value, copy.job.payload);
    }
    if (member.name == kDetailsOfCopy) {
        return read_text(member.value, copy.details);
    }
    return member.value == json_string(name_of(JobPlace::dead_letter)) ? "" : "must be dead";
}

[[nodiscard]] std::vector<std::string> problems_of_copy(const Job& job) {
    std::vector<std::string> problems;
    for (const JobField* const field : copied_fields()) {
        // Flowable has jobs without a type.
        if (!field->is_about(&Job::handler_type) || !job.handler_type.empty()) {
            std::ranges::move(schema::problems_of_field(*field, job), std::back_inserter(problems));
        }
    }
    if (job.id.empty()) {
        problems.emplace_back("id must be given");
    }
    return problems;
}

void cut(JobCopy& copy) {
    schema::JobFailure failure = schema::cut_to_limits(
        {.message = std::move(copy.job.exception_message), .details = std::move(copy.details)}
    );
    copy.job.exception_message = std::move(failure.message);
    copy.details = std::move(failure.details);
}

}  // namespace

Record record_of_copy(const JobCopy& copy) {
    Record record;
    for (const JobField* const field : copied_fields()) {
        RecordField shown = show_field(*field, copy.job);
        const bool is_nothing = shown.json == "null" || (field->is_list() && shown.json == "[]");
        if (is_nothing && !field->is_about(&Job::payload)) {
            continue;
        }
        if (field->is_about(&Job::payload) && !problem_of_json(copy.job.payload).empty()) {
            if (!copy.job.payload.empty()) {
                record.push_back(text_field(kPayloadText, copy.job.payload));
            }
            continue;
        }
        record.push_back(std::move(shown));
    }
    record.push_back(text_field(kPlaceOfCopy, name_of(JobPlace::dead_letter)));
    if (!copy.details.empty()) {
        record.push_back(text_field(kDetailsOfCopy, copy.details));
    }
    return record;
}

CopyFromJson copy_from_json(std::string_view text) {
    const auto members = members_of(text);
    if (!members) {
        return {.copy = {}, .problems = {members.error().message}};
    }
    CopyFromJson read;
    for (const JsonMember& member : members.value()) {
        const JobField* const field = field_named(member.name);
        const bool is_known = field != nullptr || member.name == kPlaceOfCopy ||
                              member.name == kPayloadText || member.name == kDetailsOfCopy;
        if (!is_known) {
            read.problems.push_back(unknown_field(member.name));
        } else if (std::string problem = read_member(field, member, read.copy); !problem.empty()) {
            read.problems.push_back(member.name + ' ' + problem);
        }
    }
    cut(read.copy);
    if (read.problems.empty()) {
        read.problems = problems_of_copy(read.copy.job);
    }
    return read;
}

}  // namespace jobstrand::cli
