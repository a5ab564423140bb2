#include "tools/process/patient_file.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <system_error>

namespace jobstrand::cli {

namespace {

constexpr std::size_t kReadBytes = 64 * 1024;

class OpenFile final {
public:
    explicit OpenFile(const std::string& path)
        : file_(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC)) {}
    ~OpenFile() {
        if (file_ >= 0) {
            ::close(file_);
        }
    }

    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    [[nodiscard]] int descriptor() const { return file_; }

    [[nodiscard]] bool is_pipe() const {
        struct stat about {};
        return ::fstat(file_, &about) == 0 && S_ISFIFO(about.st_mode);
    }

    /// Something is there, or its end.
    [[nodiscard]] bool is_ready(std::chrono::milliseconds patience) const {
        pollfd asked{.fd = file_, .events = POLLIN, .revents = 0};
        return ::poll(&asked, 1, static_cast<int>(patience.count())) > 0;
    }

private:
    const int file_;
};

std::string reason() {
    return std::generic_category().message(errno);
}

}  // namespace

std::string read_bytes(
    const std::string& path,
    std::size_t limit,
    std::string& text,
    std::chrono::milliseconds patience
) {
    const OpenFile file(path);
    if (file.descriptor() < 0) {
        return reason();
    }
    const bool is_pipe = file.is_pipe();
    text.clear();
    while (text.size() < limit) {
        if (is_pipe && !file.is_ready(patience)) {
            return "it is a pipe into which nobody writes";
        }
        const std::size_t start = text.size();
        text.resize(start + std::min(limit - start, kReadBytes));
        const ssize_t count = ::read(file.descriptor(), &text[start], text.size() - start);
        text.resize(start + static_cast<std::size_t>(std::max<ssize_t>(count, 0)));
        if (count == 0) {
            break;
        }
        if (count < 0 && errno != EINTR && errno != EAGAIN) {
            return reason();
        }
    }
    return {};
}

}  // namespace jobstrand::cli
