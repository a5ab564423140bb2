#pragma once

#include "tools/operations/operation.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/process/this_process.hpp"
#include "tools/session/session.hpp"
#include "tools/surface/command_line.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace jobstrand::cli {

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

    [[nodiscard]] const GlobalOptions& globals() const { return globals_; }
    [[nodiscard]] CommandDescription description() const;

private:
    void add_global_options();
    void add_commands();
    [[nodiscard]] std::optional<ExitCode> answer_help(Streams& streams) const;
    [[nodiscard]] ExitCode say(const CLI::ParseError& answer, Streams& streams) const;
    [[nodiscard]] std::string what_is_near(const std::string& word) const;
    [[nodiscard]] const CLI::App& deepest() const;

    std::function<ExitCode(Session&)> chosen_;  ///< What was asked for; set while it is read.
    GlobalOptions globals_;
    std::unique_ptr<CLI::App> app_;
};

/// Says on stderr what went wrong: each line of the message is one that begins with `jobstrand: `.
/// Passwords of database URLs are not in it.
void print_error_lines(Streams& streams, const std::string& message);

}  // namespace jobstrand::cli
