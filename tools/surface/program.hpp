#pragma once

#include "tools/access/access_rights.hpp"
#include "tools/operations/operation.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/process/this_process.hpp"
#include "tools/session/session.hpp"
#include "tools/surface/command_line.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace jobstrand::cli {

/// What the verbs do.
struct Action {
    /// What was asked for on the command line; set while it is read, run afterwards.
    std::function<ExitCode(Session&)> run = {};

    /// The verbs that services run for clients, as `job ls`, and what such a client must be allowed
    /// to; set by their declarations.
    std::map<std::string, service::Role, std::less<>> over_network = {};

    /// Those of them that tell of and change only jobs that the scope of a client's token leaves:
    /// all that they know of jobs is from Session::store() and what is made of it.
    std::set<std::string, std::less<>> honouring_scope = {};

    /// The verbs that are written down: those that need an administrator, and some for this machine
    /// alone.
    std::set<std::string, std::less<>> audited = {};
};

/// Runs a verb that changes things, with an entry in the audit that is there before it begins and
/// says how it ended. A dry run leaves no trace. Throws what the verb throws, and DbError when the
/// entry cannot be written: then nothing was done.
[[nodiscard]] ExitCode
run_audited(Session& session, const TypedVerb& verb, const std::function<ExitCode(Session&)>& run);

}  // namespace jobstrand::cli

namespace CLI {
class App;
class ParseError;
}  // namespace CLI

namespace jobstrand::cli {

/// The command line: all nouns and verbs as they are declared, and what was typed.
class Program final {
public:
    Program();
    ~Program();

    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// nullopt: go on with run(). Else everything is said, help for one, and this is the exit code.
    [[nodiscard]] std::optional<ExitCode>
    parse(std::vector<std::string> arguments, Streams& streams);

    /// Runs the verb that was typed, and writes down who has changed what; throws what it throws.
    [[nodiscard]] ExitCode run(Session& session) const;

    /// The same verb for a service, which runs it there. After parse().
    [[nodiscard]] TypedVerb typed() const;

    /// See Action.
    [[nodiscard]] const auto& over_network() const { return action_.over_network; }
    [[nodiscard]] const auto& honouring_scope() const { return action_.honouring_scope; }
    [[nodiscard]] const GlobalOptions& globals() const { return globals_; }
    [[nodiscard]] CommandDescription description() const;

private:
    void add_global_options();
    void add_commands();
    [[nodiscard]] std::optional<ExitCode> answer_help(Streams& streams) const;
    [[nodiscard]] ExitCode say(const CLI::ParseError& answer, Streams& streams) const;
    [[nodiscard]] std::string what_is_near(const std::string& word) const;
    [[nodiscard]] const CLI::App& deepest() const;

    Action action_;
    GlobalOptions globals_;
    std::unique_ptr<CLI::App> app_;
};

/// Says on stderr what went wrong: each line of the message is one that begins with `jobstrand: `.
/// Passwords of database URLs are not in it.
void print_error_lines(Streams& streams, const std::string& message);

}  // namespace jobstrand::cli
