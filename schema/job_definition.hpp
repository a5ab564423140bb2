#pragma once

#include "schema/job.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

/// What all jobs of a kind have in common, unless they say otherwise. Pure.
namespace jobstrand::schema {

/// The most rows that there may be. More would mean that an app makes a definition of each
/// instance.
inline constexpr std::size_t kMostJobDefinitions = 10'000;

/// Whom a job definition is about: the jobs of a definition, of one of its elements, of one handler
/// type, or of an element and a type.
struct JobDefinitionName {
    std::string definition = {};  ///< The process_definition_id of its jobs.
    std::string element = {};     ///< Empty: any.
    std::string type = {};        ///< Handler type; empty: any.

    bool operator==(const JobDefinitionName&) const = default;

    [[nodiscard]] bool is_of(const Job& job) const {
        return definition == job.process_definition_id &&
               (element.empty() || element == job.element_id) &&
               (type.empty() || type == job.handler_type);
    }
};

/// What a kind of job gets. Camunda's job definition, and what its model says. The public one has
/// the name as it is written; here it is compared part by part.
struct JobDefinition {
    JobDefinitionName name = {};
    /// A whole number, or an expression that comes to one (R019-R021); empty: it says none.
    std::string priority = {};
    /// See RetryCycle; may hold expressions (R072). Empty: it says none.
    std::string retry_cycle = {};
    std::string category = {};  ///< May hold expressions; empty: it says none.
    std::optional<bool> exclusive = {};
    /// Goes before all else that says a priority (R025).
    std::optional<std::int64_t> override_priority = {};

    bool operator==(const JobDefinition&) const = default;
};

/// `DEFINITION`, `DEFINITION/ELEMENT`, `DEFINITION/ELEMENT/TYPE` or `DEFINITION//TYPE`.
[[nodiscard]] std::string text_of(const JobDefinitionName& name);

/// The inverse. Throws std::invalid_argument, one sentence that says what is wrong.
[[nodiscard]] JobDefinitionName job_definition_named(std::string_view text);

/// Whether names of these fields can be told apart from others: neither a definition nor an element
/// may have a slash.
[[nodiscard]] bool can_be_named(const JobDefinitionName& name);

/// What keeps its row in the database apart from others: up to 64 bytes, and the text of the name
/// where that is short.
[[nodiscard]] std::string id_of(const JobDefinitionName& name);

/// Returns the names that apply to a job and are more specific than its definition.
[[nodiscard]] std::vector<JobDefinitionName> kinds_of(const Job& job);

/// What is stored, and what is configured where that says nothing.
[[nodiscard]] std::vector<JobDefinition>
completed(std::vector<JobDefinition> stored, std::span<const JobDefinition> configured);

/// What is wrong with what it says, one sentence; empty: nothing.
[[nodiscard]] std::string mistake_in(const JobDefinition& definition);

/// What becomes of a new job when an expression of its definition fails, or does not come to what
/// it must.
enum class FailedExpression {
    refuses_job,
    says_nothing,  ///< As if the definition did not have it.
};

/// All job definitions that say anything, and what new jobs get from them.
class JobDefinitions final {
public:
    JobDefinitions() = default;

    /// If two have the same name, the last one counts.
    explicit JobDefinitions(std::span<const JobDefinition> definitions);

    [[nodiscard]] bool are_none() const { return by_definition_.empty(); }

    /// Gives a new job what it does not say itself: an override of its priority first of all, then
    /// what the job says, what its element says, its definition, and 0 (R025, R029). Of several
    /// that are about it, the closest that says anything counts: of its element and type, of its
    /// element, of its type, of its definition. Priority 0, exclusive and no retry cycle stand for
    /// what a job does not say.
    ///
    /// Throws std::invalid_argument, one sentence, for an expression that fails, unless that says
    /// nothing; then the job is as it was.
    void fill_in(Job& job, FailedExpression on_failure = FailedExpression::refuses_job) const;

private:
    std::map<std::string, std::vector<JobDefinition>, std::less<>>
        by_definition_;  ///< The closest first.
};

}  // namespace jobstrand::schema
