#pragma once

#include "tools/surface/description.hpp"
#include "tools/surface/value_choices.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

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

}  // namespace jobstrand::cli
