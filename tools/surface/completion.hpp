#pragma once

#include "tools/session/session.hpp"
#include "tools/surface/command_line.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// Where the values come from that complete what is being typed.
enum class ValueSource {
    free_text,  ///< Nobody can guess it.
    words,      ///< ValueChoices::words.
    files,
    nouns,
    jobs,  ///< Ids of jobs in any place.
    dead_letters,
    timers,
    handler_types,
    series,
    groups,
    causes,  ///< Of dead letters, as `dead groups` names them.
    calendars,
    instances,
    nodes,
};

struct ValueChoices {
    ValueSource source = ValueSource::free_text;
    std::vector<std::string_view> words = {};
};

/// Of an option of a noun, by what its value is called: `choices_of("timer", "--state", "STATE")`.
/// `option` is its longest name, or the name of an argument. Null: nobody has said it; values of a
/// new name belong into the table in completion.cpp.
[[nodiscard]] const ValueChoices*
choices_of(std::string_view noun, std::string_view option, std::string_view value);

/// One way to go on with a word, and what it means; the meaning may be empty.
struct Candidate {
    std::string text;
    std::string meaning = {};
};

struct Completion {
    bool is_file = false;  ///< The shell itself completes names of files.
    std::vector<Candidate> candidates = {};
};

/// What was typed that says which database is meant.
struct TypedDatabase {
    std::optional<std::string> url;          ///< --db
    std::optional<std::string> config_file;  ///< --config
    std::optional<std::string> engine;       ///< --engine
    std::optional<std::string> server = {};  ///< --server, in place of all those.
};

/// The values of a source that may begin with `typed`; others are left out later.
using ValuesOf = std::function<
    std::vector<Candidate>(ValueSource, const TypedDatabase&, std::string_view typed)>;

/// How the last of the words, which may be empty, can go on. `words` are those behind `jobstrand`.
[[nodiscard]] Completion complete(
    const CommandDescription& program,
    const std::vector<std::string>& words,
    const ValuesOf& values_of
);

/// For the scripts of the shells: a line for each candidate, `text`, a tab, its meaning; `:files`
/// alone when the shell is to complete a file.
[[nodiscard]] std::string lines_of(const Completion& completion);

/// What the database has of a source, with a word about each: at most some hundred, those first
/// that come behind `typed`. Opens the database; throws what that throws.
[[nodiscard]] std::vector<Candidate>
known_values(Session& session, ValueSource source, std::string_view typed);

// What makes a shell complete `jobstrand`: the files in shells/. Each asks `jobstrand __complete`
// with the words that were typed.

[[nodiscard]] std::string_view bash_script();
[[nodiscard]] std::string_view zsh_script();
[[nodiscard]] std::string_view fish_script();

}  // namespace jobstrand::cli
