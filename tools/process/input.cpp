#include "tools/process/input.hpp"

#include "tools/process/exit_code.hpp"
#include "tools/process/nameless_file.hpp"
#include "tools/text/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <streambuf>
#include <system_error>
#include <utility>

namespace jobstrand::cli {

namespace {

using Traits = std::streambuf::traits_type;

constexpr std::size_t kPieceBytes = 64 * 1024;

[[noreturn]] void refuse(std::string_view option, const std::string& what) {
    throw CliError(ExitCode::wrong_usage, fmt::format("{}: {}", option, what));
}

}  // namespace

Input::Input(std::string name, std::unique_ptr<std::istream> stream, bool is_rereadable)
    : name_(std::move(name)),
      owned_(std::move(stream)),
      stream_(owned_.get()),
      is_rereadable_(is_rereadable) {}

Input Input::open(std::istream& standard_input, std::string_view option, const std::string& file) {
    if (file == "-") {
        return {"stdin", standard_input};
    }
    std::string name = printable(file);
    std::error_code ignored;
    if (std::filesystem::is_directory(file, ignored)) {
        refuse(option, name + " is a directory: name a file");
    }
    auto stream = std::make_unique<std::ifstream>(file, std::ios::binary);
    if (!*stream) {
        const std::string reason = std::generic_category().message(errno);
        refuse(option, fmt::format("cannot read {}: {}", name, reason));
    }
    const bool is_rereadable = std::filesystem::is_regular_file(file, ignored);
    return {std::move(name), std::move(stream), is_rereadable};
}

Input Input::of_text(std::string name, const std::string& text) {
    return {std::move(name), std::make_unique<std::istringstream>(text), true};
}

Input Input::rereadable(Input input) {
    if (input.is_rereadable_) {
        return input;
    }
    NamelessFile copy;
    for (std::string piece = input.next_bytes(kPieceBytes); !piece.empty();
         piece = input.next_bytes(kPieceBytes)) {
        copy.append(piece);
    }
    return {std::move(input.name_), std::move(copy).content(), true};
}

std::optional<char> Input::next() {
    const auto c = guarded([this] { return stream_->rdbuf()->sbumpc(); });
    return Traits::eq_int_type(c, Traits::eof()) ? std::nullopt
                                                 : std::optional(Traits::to_char_type(c));
}

std::string Input::next_bytes(std::size_t limit) {
    std::string bytes;
    while (bytes.size() < limit) {
        const std::size_t start = bytes.size();
        bytes.resize(start + std::min(limit - start, kPieceBytes));
        const std::size_t count = guarded([&] {
            const auto room = static_cast<std::streamsize>(bytes.size() - start);
            return static_cast<std::size_t>(stream_->rdbuf()->sgetn(&bytes[start], room));
        });
        bytes.resize(start + count);
        if (count == 0) {
            break;
        }
    }
    return bytes;
}

void Input::rewind() {
    stream_->clear();
    (void)guarded([this] { return stream_->rdbuf()->pubseekpos(0, std::ios::in); });
}

/// The buffer of a stream is asked and not the stream, which would keep the reason to itself.
template <typename Read>
auto Input::guarded(const Read& read) -> decltype(read()) {
    // Defended catch: only here is it known what was being read.
    try {
        return read();
    } catch (const std::system_error& error) {
        throw CliError(
            ExitCode::failed, fmt::format("cannot read {}: {}", name_, error.code().message())
        );
    }
}

}  // namespace jobstrand::cli
