#pragma once

#include <string>
#include <vector>

namespace jobstrand::cli {

/// A verb as it was typed, for whoever runs it elsewhere.
struct TypedVerb {
    /// A file that an option names.
    struct File {
        std::string option;  ///< For messages: `--from`.
        std::string name;
    };

    std::string words;  ///< Noun and verb: `job add`.

    /// What stood behind them, without the global options: options first, arguments last.
    std::vector<std::string> arguments = {};

    std::vector<File> files = {};  ///< Which it reads.
    bool reads_input = false;      ///< Whether it reads stdin.
};

}  // namespace jobstrand::cli
