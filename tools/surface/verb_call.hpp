#pragma once

#include "schema/text/parsing.hpp"
#include "tools/access/access_rights.hpp"
#include "tools/process/exit_code.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What goes between a client and the service that runs a verb of the command line for it, as JSON.
namespace jobstrand::cli {

/// What is asked: the body of `POST /api/v1/verbs/{noun}/{verb}`. Everything may be left out.
struct VerbCall {
    std::vector<std::string> arguments = {};  ///< What stands behind noun and verb.
    std::string input = {};                   ///< Of stdin.

    /// What is in the files that the arguments name.
    std::map<std::string, std::string> files = {};

    std::string user = {};  ///< Who asks, where a verb writes that down.

    // Filled in by the service.
    std::string caller = {};    ///< The name of the client's token, or `local`.
    service::Scope scope = {};  ///< To what that is restricted.
    std::string reason = {};    ///< Why, where the arguments cannot say it.

    // How it is read.
    std::optional<std::size_t> columns = {};  ///< Of the terminal; nullopt: it is none.
    bool is_coloured = false;
    bool are_errors_coloured = false;
    bool can_be_asked = false;  ///< The client asks its user what VerbAnswer::question says.
};

/// What comes back.
struct VerbAnswer {
    ExitCode exit_code = ExitCode::done;
    std::string output = {};  ///< Of stdout.
    std::string errors = {};  ///< Of stderr.

    /// What must be answered with yes, by --yes, before anything is done; empty: nothing.
    std::string question = {};

    /// For the service: the key behind which the list goes on; nullopt: it does not.
    std::optional<std::string> more_behind = {};

    /// Likewise: see Session::note_looked_at().
    std::optional<std::size_t> looked_at = {};
};

/// The media type of an answer, which whoever wants one names in Accept.
inline constexpr std::string_view kVerbAnswerType = "application/vnd.jobstrand.verb+json";

/// Where a verb is asked for; `words` are `job add`, or `stats`.
[[nodiscard]] std::string verb_path(std::string_view words);

[[nodiscard]] std::string json_of(const VerbCall& call);
[[nodiscard]] std::string json_of(const VerbAnswer& answer);

/// Members that are not known are an error, so that nobody is misled.
[[nodiscard]] schema::ParseResult<VerbCall> parse_verb_call(std::string_view json);

/// Here they are left out: a later service may say more.
[[nodiscard]] schema::ParseResult<VerbAnswer> parse_verb_answer(std::string_view json);

}  // namespace jobstrand::cli
