#include "tools/jobstrand/commands/nouns.hpp"
#include "tools/jobstrand/output/printable.hpp"
#include "tools/jobstrand/usage/manual_page.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>

namespace jobstrand::cli {

namespace {

struct ManualOptions {
    std::optional<Command> program;
    std::optional<std::string> noun;
    std::optional<std::string> folder;
};

[[nodiscard]] ManualEdition edition() {
    return {.version = "jobstrand " JOBSTRAND_VERSION, .date = JOBSTRAND_DATE};
}

void write_page(const std::filesystem::path& path, const std::string& page) {
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    if (!(file << page).flush()) {
        throw CliError(ExitCode::failed, fmt::format("cannot write {}", printable(path.string())));
    }
}

void write_all(const CommandDescription& program, const std::filesystem::path& folder) {
    write_page(folder / page_name(""), program_page(program, edition()));
    for (const CommandDescription& noun : program.commands) {
        write_page(folder / page_name(noun.name), noun_page(program, noun, edition()));
    }
}

[[nodiscard]] std::string page_of(const CommandDescription& program, const std::string& name) {
    if (const CommandDescription* const noun = command_named(program, name)) {
        return noun_page(program, *noun, edition());
    }
    throw CliError(ExitCode::not_found, fmt::format("there is no noun {}", quoted_if_needed(name)));
}

ExitCode print_manual(Session& session, const ManualOptions& options) {
    const CommandDescription program = options.program->description();
    if (options.folder) {
        write_all(program, *options.folder);
    } else {
        session.streams().out
            << (options.noun ? page_of(program, *options.noun) : program_page(program, edition()));
    }
    return ExitCode::done;
}

}  // namespace

void add_manual_command(const Command& program, Action& action) {
    const auto [app, options] = add_verb<ManualOptions>(
        program,
        action,
        {.name = "manual",
         .summary = "Print a manual page, of the program or of a noun",
         .examples = "  jobstrand manual job | man -l -\n"
                     "  jobstrand manual --into /usr/local/share/man/man1"},
        print_manual
    );
    options.program = program;
    app.add_option("noun", options.noun, "The noun").type_name("NOUN");
    app.add_option("--into", options.folder, "Write all pages into a folder").type_name("FOLDER");
}

}  // namespace jobstrand::cli
