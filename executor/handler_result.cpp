#include "executor/handler_result.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/job_failure.hpp"
#include "schema/job_validation.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <typeinfo>
#include <variant>
#include <vector>

namespace jobstrand::executor {

namespace {

/// The exception and everything nested in it, innermost last.
void describe(const std::exception& error, std::string& text) {
    text += fmt::format("{}: {}\n", typeid(error).name(), error.what());
    try {
        std::rethrow_if_nested(error);
    } catch (const std::exception& nested) {
        text += "caused by ";
        describe(nested, text);
    } catch (...) {
        text += "caused by something that is not a std::exception\n";
    }
}

template <typename... Cases>
struct CasesOfResult : Cases... {
    using Cases::operator()...;
};
template <typename... Cases>
CasesOfResult(Cases...) -> CasesOfResult<Cases...>;

}  // namespace

HandlerResult result_of_exception() {
    try {
        throw;
    } catch (const persistence::DbError& error) {
        if (error.is_transient() || error.is_outage()) {
            return Interrupted{};  // The database's fault, not the job's (I5).
        }
        return Failed{.message = error.what()};
    } catch (const std::exception& error) {
        Failed failed{.message = error.what()};
        describe(error, failed.details);
        return failed;
    } catch (...) {
        return Failed{.message = "the handler threw something that is not a std::exception"};
    }
}

HandlerResult storable(HandlerResult result) {
    const auto* succeeded = std::get_if<Succeeded>(&result);
    if (succeeded == nullptr || !succeeded->payload) {
        return result;
    }
    const std::vector<std::string> problems = schema::problems_of_payload(*succeeded->payload);
    if (problems.empty()) {
        return result;
    }
    return Failed{.message = "for the next turn: " + problems.front()};
}

schema::Transition transition_after(
    const schema::Job& job,
    const HandlerResult& result,
    const schema::RetryPolicy& policy,
    schema::TimePoint now
) {
    return std::visit(
        CasesOfResult{
            [&](const Succeeded& succeeded) { return schema::completed(job, succeeded.payload); },
            [&](const Interrupted& interrupted) {
                return schema::interrupted(job, interrupted.wait, now);
            },
            [&](const GivenBack&) { return schema::released(job); },
            // Whoever writes it all the same finds that the fence does not hold.
            [&](const EndedElsewhere&) { return schema::completed(job); },
            [&](const Failed& failed) {
                const schema::JobFailure failure = schema::cut_to_limits(
                    {.message = failed.message,
                     .details = failed.details,
                     .retryable = failed.retryable,
                     .retry_after = failed.retry_after}
                );
                return schema::failed(job, failure, policy, now);
            },
        },
        result
    );
}

}  // namespace jobstrand::executor
