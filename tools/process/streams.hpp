#pragma once

#include <cstddef>
#include <istream>
#include <map>
#include <optional>
#include <ostream>
#include <string>

namespace jobstrand::cli {

/// What the program reads and writes: data on out, everything else on err.
struct Streams {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool in_is_terminal = false;
    bool err_is_terminal = false;
    std::optional<int> err_descriptor = {};       ///< That `err` writes to; nullopt: none.
    bool err_is_coloured = false;                 ///< Words about what went wrong stand out.
    std::optional<std::size_t> out_columns = {};  ///< Of the terminal that `out` is; nullopt: none.
    void (*when_out_fails)() = nullptr;           ///< Before it is told; it need not return.
};

/// The environment variables.
using Environment = std::map<std::string, std::string, std::less<>>;

}  // namespace jobstrand::cli
