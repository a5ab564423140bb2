#pragma once

#include "tools/process/streams.hpp"
#include "tools/surface/description.hpp"
#include "tools/surface/typed_verb.hpp"
#include "tools/surface/verb.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

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

}  // namespace jobstrand::cli
