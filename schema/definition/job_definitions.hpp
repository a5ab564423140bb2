#pragma once

#include "schema/definition/job_definition.hpp"

#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

namespace jobstrand::schema {

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
