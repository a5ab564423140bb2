#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <istream>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// A text that a command was given to read. What cannot be read any further is an error and never
/// the end: half of a file of jobs must not pass for the whole.
///
/// Reading throws CliError failed, with the reason. Thread safety: none.
class Input final {
public:
    /// `file` is a path, or `-` for `standard_input`, which must outlive the input. `option` is
    /// what named the file, for messages. Throws CliError wrong_usage when there is none, or a
    /// directory.
    [[nodiscard]] static Input
    open(std::istream& standard_input, std::string_view option, const std::string& file);

    /// A text that is there already; it is rereadable. `name` is what messages call it.
    [[nodiscard]] static Input of_text(std::string name, const std::string& text);

    /// The same bytes, which rewind() goes back to the start of. A file stays as it is; what comes
    /// from stdin or a pipe is first read to its end, into a temporary file.
    [[nodiscard]] static Input rereadable(Input input);

    /// What messages call it: `stdin`, or the path.
    [[nodiscard]] const std::string& name() const { return name_; }

    /// The next byte; nullopt: the end.
    [[nodiscard]] std::optional<char> next();

    /// What follows, `limit` bytes at most.
    [[nodiscard]] std::string next_bytes(std::size_t limit);

    /// Only what is rereadable() has a way back.
    void rewind();

private:
    Input(std::string name, std::istream& stream) : name_(std::move(name)), stream_(&stream) {}
    Input(std::string name, std::unique_ptr<std::istream> stream, bool is_rereadable);

    template <typename Read>
    [[nodiscard]] auto guarded(const Read& read) -> decltype(read());

    std::string name_;
    std::unique_ptr<std::istream> owned_;
    std::istream* stream_;  ///< owned_, or stdin.
    bool is_rereadable_ = false;
};

/// One line of a text.
struct BoundedLine {
    std::int64_t number = 0;  ///< Counts from 1.
    std::string text = {};    ///< Its beginning, if it is too long.
    bool is_too_long = false;

    [[nodiscard]] bool is_blank() const {
        return text.find_first_not_of(" \t\r") == std::string::npos;
    }
};

/// Reads a text line by line, of each no more than a bound: a file may be larger than the memory,
/// and so may a line.
class BoundedLines final {
public:
    /// The input must outlive it.
    BoundedLines(Input& input, std::size_t most_bytes) : input_(input), most_bytes_(most_bytes) {}

    /// nullopt: the end. Throws CliError failed when the input breaks off.
    [[nodiscard]] std::optional<BoundedLine> next();

private:
    Input& input_;
    const std::size_t most_bytes_;
    std::int64_t number_ = 0;
};

/// For what stands in a pipe: as long as a program may need to write a few lines.
inline constexpr std::chrono::seconds kPipePatience{5};

/// Reads at most `limit` bytes of a file into `text`; a pipe in which nothing comes for longer than
/// `patience` is given up. Returns what is wrong, in words; empty: nothing.
[[nodiscard]] std::string read_bytes(
    const std::string& path,
    std::size_t limit,
    std::string& text,
    std::chrono::milliseconds patience = kPipePatience
);

}  // namespace jobstrand::cli
