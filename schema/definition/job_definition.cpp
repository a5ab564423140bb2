#include "schema/definition/job_definition.hpp"

#include "schema/expression/expression.hpp"
#include "schema/limits.hpp"
#include "schema/retry_policy.hpp"
#include "schema/text/digest.hpp"
#include "schema/text/text_rules.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace jobstrand::schema {

namespace {

constexpr std::size_t kMostIdBytes = 64;

bool is_whole_number(std::string_view text) {
    std::int64_t number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size();
}

std::string mistake_in_expression(std::string_view what, const std::string& text) {
    const auto mistake = mistake_in_expressions(text);
    return mistake ? std::string(what) + ": " + mistake->message + " (position " +
                         std::to_string(mistake->position) + ")"
                   : std::string{};
}

std::string mistake_in_priority(const std::string& text) {
    if (text.empty() || is_whole_number(text)) {
        return {};
    }
    if (text.starts_with("${")) {
        return mistake_in_expression("the priority", text);
    }
    return "the priority must be a whole number of 64 bits, or an expression such as "
           "${order.priority}";
}

std::string mistake_in_retry_cycle(const std::string& text) {
    if (has_expression(text)) {
        return mistake_in_expression("the retry cycle", text);
    }
    const auto cycle = parse_retry_cycle(text);
    return text.empty() || cycle ? std::string{} : "the retry cycle: " + cycle.error().message;
}

std::string mistake_in_category(const std::string& text) {
    if (has_expression(text)) {
        return mistake_in_expression("the category", text);
    }
    std::vector<std::string> problems;
    check_text("the category", text, limits::kNameLength, problems);
    return problems.empty() ? std::string{} : problems.front();
}

void refuse_unless_storable(const JobDefinitionName& name) {
    std::vector<std::string> problems;
    check_app_id("the definition", name.definition, problems);
    check_text("the element", name.element, limits::kNameLength, problems);
    check_text("the handler type", name.type, limits::kNameLength, problems);
    if (!problems.empty()) {
        throw std::invalid_argument(problems.front());
    }
}

}  // namespace

std::string text_of(const JobDefinitionName& name) {
    std::string text = name.definition;
    if (!name.element.empty() || !name.type.empty()) {
        text += "/" + name.element;
    }
    if (!name.type.empty()) {
        text += "/" + name.type;
    }
    return text;
}

JobDefinitionName job_definition_named(std::string_view text) {
    JobDefinitionName name;
    const std::size_t first = text.find('/');
    name.definition = text.substr(0, first);
    if (first != std::string_view::npos) {
        const std::string_view rest = text.substr(first + 1);
        const std::size_t second = rest.find('/');
        name.element = rest.substr(0, second);
        name.type = second == std::string_view::npos ? "" : rest.substr(second + 1);
    }
    if (name.definition.empty()) {
        throw std::invalid_argument(
            "jobs are named by DEFINITION, DEFINITION/ELEMENT, DEFINITION/ELEMENT/TYPE or "
            "DEFINITION//TYPE"
        );
    }
    refuse_unless_storable(name);
    return name;
}

bool can_be_named(const JobDefinitionName& name) {
    return !name.definition.empty() && name.definition.find('/') == std::string::npos &&
           name.element.find('/') == std::string::npos;
}

std::string id_of(const JobDefinitionName& name) {
    std::string text = text_of(name);
    // No row may end in blanks: databases compare texts without them.
    const bool fits = text.size() <= kMostIdBytes && !text.ends_with(' ');
    return fits ? text : "#" + digest_of(text);
}

std::vector<JobDefinitionName> kinds_of(const Job& job) {
    std::vector<JobDefinitionName> kinds;
    const std::string& definition = job.process_definition_id;
    const auto add = [&](std::string element, std::string type) {
        const bool says_more = !element.empty() || !type.empty();
        JobDefinitionName name{definition, std::move(element), std::move(type)};
        if (says_more && can_be_named(name)) {
            kinds.push_back(std::move(name));
        }
    };
    add(job.element_id, job.handler_type);
    add(job.element_id, {});
    add({}, job.handler_type);
    return kinds;
}

std::vector<JobDefinition>
completed(std::vector<JobDefinition> stored, std::span<const JobDefinition> configured) {
    for (const JobDefinition& one : configured) {
        const auto found = std::ranges::find(stored, one.name, &JobDefinition::name);
        if (found == stored.end()) {
            stored.push_back(one);
            continue;
        }
        found->priority = found->priority.empty() ? one.priority : found->priority;
        found->retry_cycle = found->retry_cycle.empty() ? one.retry_cycle : found->retry_cycle;
        found->category = found->category.empty() ? one.category : found->category;
        found->exclusive = found->exclusive ? found->exclusive : one.exclusive;
    }
    return stored;
}

std::string mistake_in(const JobDefinition& definition) {
    for (std::string mistake :
         {mistake_in_priority(definition.priority),
          mistake_in_retry_cycle(definition.retry_cycle),
          mistake_in_category(definition.category)}) {
        if (!mistake.empty()) {
            return mistake;
        }
    }
    return {};
}

}  // namespace jobstrand::schema
