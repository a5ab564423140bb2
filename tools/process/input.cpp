#include "tools/process/input.hpp"

#include "tools/process/exit_code.hpp"
#include "tools/process/unique_fd.hpp"
#include "tools/text/terminal_text.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
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
    throw WrongUsage("{}: {}", option, what);
}

[[noreturn]] void fail(const std::filesystem::path& folder, const std::string& reason) {
    throw Failed(
        "cannot keep what is read in {}: {}; name a file instead, or set TMPDIR",
        folder.string(),
        reason
    );
}

[[nodiscard]] std::string last_error() {
    return std::generic_category().message(errno);
}

[[nodiscard]] std::filesystem::path temporary_folder() {
    const char* const given = std::getenv("TMPDIR");
    return given == nullptr || *given == '\0' ? "/tmp" : given;
}

/// A file in the folder for temporary files (TMPDIR, else /tmp) that nobody else can open: its name
/// is gone at once, and its content with the last descriptor, however the process ends.
///
/// Throws CliError failed when the folder takes nothing.
class NamelessFile final {
public:
    NamelessFile() : folder_(temporary_folder()) {
        std::string name = folder_ / "jobstrand-XXXXXX";
        file_ = UniqueFd(::mkostemp(name.data(), O_CLOEXEC));
        if (!file_) {
            fail(folder_, last_error());
        }
        content_ = std::make_unique<std::ifstream>(name, std::ios::binary);
        const bool is_open = content_->good();
        const std::string reason = last_error();
        ::unlink(name.c_str());
        if (!is_open) {
            fail(folder_, reason);
        }
    }

    void append(std::string_view bytes) {
        while (!bytes.empty()) {
            const ssize_t written = ::write(file_.get(), bytes.data(), bytes.size());
            if (written < 0 && errno != EINTR) {
                fail(folder_, last_error());
            }
            bytes.remove_prefix(written < 0 ? 0 : static_cast<std::size_t>(written));
        }
    }

    /// All that was appended, from its start.
    [[nodiscard]] std::unique_ptr<std::istream> content() && { return std::move(content_); }

private:
    std::filesystem::path folder_;
    UniqueFd file_;
    std::unique_ptr<std::istream> content_;
};

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
        throw Failed("cannot read {}: {}", name_, error.code().message());
    }
}

std::optional<BoundedLine> BoundedLines::next() {
    BoundedLine line;
    bool is_there = false;
    while (const auto c = input_.next()) {
        is_there = true;
        if (*c == '\n') {
            break;
        }
        if (line.text.size() < most_bytes_) {
            line.text += *c;
        } else {
            line.is_too_long = true;
        }
    }
    if (!is_there) {
        return std::nullopt;
    }
    line.number = ++number_;
    return line;
}

namespace {

[[nodiscard]] bool is_pipe(const UniqueFd& file) {
    struct stat about {};
    return ::fstat(file.get(), &about) == 0 && S_ISFIFO(about.st_mode);
}

/// Something is there, or its end.
[[nodiscard]] bool is_ready(const UniqueFd& file, std::chrono::milliseconds patience) {
    pollfd asked{.fd = file.get(), .events = POLLIN, .revents = 0};
    return ::poll(&asked, 1, static_cast<int>(patience.count())) > 0;
}

}  // namespace

std::string read_bytes(
    const std::string& path,
    std::size_t limit,
    std::string& text,
    std::chrono::milliseconds patience
) {
    const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    if (!file) {
        return last_error();
    }
    const bool may_stall = is_pipe(file);
    text.clear();
    while (text.size() < limit) {
        if (may_stall && !is_ready(file, patience)) {
            return "it is a pipe into which nobody writes";
        }
        const std::size_t start = text.size();
        text.resize(start + std::min(limit - start, kPieceBytes));
        const ssize_t count = ::read(file.get(), &text[start], text.size() - start);
        text.resize(start + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR && errno != EAGAIN) {
            return last_error();
        }
    }
    return {};
}

}  // namespace jobstrand::cli
