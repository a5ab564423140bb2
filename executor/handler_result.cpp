#include "executor/handler_result.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/job_validation.hpp"

#include <fmt/format.h>

#include <exception>
#include <string>
#include <typeinfo>
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

}  // namespace jobstrand::executor
