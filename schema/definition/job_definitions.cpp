#include "schema/definition/job_definitions.hpp"

#include "schema/expression/expression.hpp"
#include "schema/limits.hpp"
#include "schema/retry_policy.hpp"
#include "schema/text/text_rules.hpp"

#include <algorithm>
#include <charconv>
#include <stdexcept>
#include <utility>

namespace jobstrand::schema {

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
