#include "schema/job_definition.hpp"

#include "schema/expression.hpp"
#include "schema/job_failure.hpp"
#include "schema/limits.hpp"
#include "schema/text/column_text.hpp"

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

namespace {

/// How close a definition is to the jobs that it is about.
int closeness(const JobDefinitionName& name) {
    return (name.element.empty() ? 0 : 2) + (name.type.empty() ? 0 : 1);
}

ParseResult<std::int64_t> priority_for(const Job& job, const std::string& text) {
    if (has_expression(text)) {
        return evaluate_number(text, job);
    }
    std::int64_t number = 0;  // mistake_in has nothing against it.
    (void)std::from_chars(text.data(), text.data() + text.size(), number);
    return number;
}

ParseResult<std::string> retry_cycle_for(const Job& job, const std::string& text) {
    if (!has_expression(text)) {
        return text;
    }
    auto cycle = evaluate_text(text, job);
    if (!cycle) {
        return cycle;
    }
    const auto parsed = parse_retry_cycle(cycle.value());
    if (!parsed || cycle.value().size() > limits::kNameLength) {
        return ParseError{
            .message =
                "it comes to \"" + cycle.value().substr(0, 40) + "\", which is no retry cycle"};
    }
    return cycle;
}

ParseResult<std::string> category_for(const Job& job, const std::string& text) {
    if (!has_expression(text)) {
        return text;
    }
    auto category = evaluate_text(text, job);
    std::vector<std::string> problems;
    if (category) {
        check_text("what it comes to", category.value(), limits::kNameLength, problems);
    }
    return problems.empty() ? category : ParseError{.message = problems.front()};
}

/// What a job gets, of the definitions that are about it, the closest first.
class Filling {
public:
    Filling(const Job& job, FailedExpression on_failure) : job_(job), on_failure_(on_failure) {}

    void find_override(const JobDefinition& one) {
        if (!override_) {
            override_ = one.override_priority;
        }
    }

    void add(const JobDefinition& one) {
        if (!is_exclusiveness_said_ && one.exclusive) {
            is_exclusiveness_said_ = true;
            may_be_exclusive_ = *one.exclusive;
        }
        const bool needs_priority = !override_ && job_.priority == 0 && !priority_;
        if (needs_priority && !one.priority.empty()) {
            priority_ = value_of(one, "priority", one.priority, priority_for);
        }
        if (job_.retry_cycle.empty() && !retry_cycle_ && !one.retry_cycle.empty()) {
            retry_cycle_ = value_of(one, "retry cycle", one.retry_cycle, retry_cycle_for);
        }
        if (job_.category.empty() && !category_ && !one.category.empty()) {
            category_ = value_of(one, "category", one.category, category_for);
        }
    }

    void fill_in(Job& job) {
        job.priority = override_.value_or(priority_.value_or(job.priority));
        job.exclusive = job.exclusive && may_be_exclusive_;
        if (retry_cycle_) {
            job.retry_cycle = std::move(*retry_cycle_);
        }
        if (category_) {
            job.category = std::move(*category_);
        }
    }

private:
    /// nullopt: it says nothing, because it failed.
    template <typename Value>
    [[nodiscard]] std::optional<Value> value_of(
        const JobDefinition& one,
        std::string_view what,
        const std::string& text,
        ParseResult<Value> (*evaluate)(const Job&, const std::string&)
    ) const {
        const auto value = evaluate(job_, text);
        if (value) {
            return value.value();
        }
        if (on_failure_ == FailedExpression::says_nothing) {
            return std::nullopt;
        }
        throw std::invalid_argument(
            "the " + std::string(what) + " of " + text_of(one.name) + ", " + text + ": " +
            value.error().message + " (position " + std::to_string(value.error().position) + ")"
        );
    }

    const Job& job_;
    const FailedExpression on_failure_;
    std::optional<std::int64_t> override_;
    std::optional<std::int64_t> priority_;
    std::optional<std::string> retry_cycle_;
    std::optional<std::string> category_;
    bool is_exclusiveness_said_ = false;
    bool may_be_exclusive_ = true;
};

}  // namespace

JobDefinitions::JobDefinitions(std::span<const JobDefinition> definitions) {
    for (const JobDefinition& one : definitions) {
        std::vector<JobDefinition>& list = by_definition_[one.name.definition];
        std::erase_if(list, [&one](const JobDefinition& other) { return other.name == one.name; });
        const auto place = std::ranges::upper_bound(
            list,
            closeness(one.name),
            std::greater<>(),
            [](const JobDefinition& other) { return closeness(other.name); }
        );
        list.insert(place, one);
    }
}

void JobDefinitions::fill_in(Job& job, FailedExpression on_failure) const {
    const auto found = by_definition_.find(job.process_definition_id);
    if (found == by_definition_.end()) {
        return;
    }
    Filling filling(job, on_failure);
    const auto each = [&](void (Filling::*use)(const JobDefinition&)) {
        for (const JobDefinition& one : found->second) {
            if (one.name.is_of(job)) {
                (filling.*use)(one);
            }
        }
    };
    each(&Filling::find_override);
    each(&Filling::add);
    filling.fill_in(job);
}

}  // namespace jobstrand::schema
