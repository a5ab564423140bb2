#include "persistence/drivers/password_file.hpp"

#include "persistence/drivers/secret_file.hpp"
#include "persistence/sql/db_error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace jobstrand::persistence {

namespace {

[[nodiscard]] DbError unusable(const std::string& path, std::string_view why) {
    return DbError(
        DbErrorKind::access_denied, fmt::format("cannot use the password file {}: {}", path, why)
    );
}

[[nodiscard]] std::string reason() {
    return std::generic_category().message(errno);
}

class OpenFile final {
public:
    /// Does not wait for the writer of a pipe, which is refused.
    explicit OpenFile(const std::string& path)
        : descriptor_(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) {
        if (descriptor_ < 0) {
            throw unusable(path, reason());
        }
    }
    ~OpenFile() { ::close(descriptor_); }

    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;

    [[nodiscard]] int descriptor() const { return descriptor_; }

private:
    const int descriptor_;
};

/// The opened file is looked at, and not its name, which may lead elsewhere by now.
void require_private(const OpenFile& file, const std::string& path) {
    struct stat found {};
    if (::fstat(file.descriptor(), &found) != 0) {
        throw unusable(path, reason());
    }
    if (!S_ISREG(found.st_mode)) {
        throw unusable(path, "it is not a file");
    }
    if (!is_kept_secret(look_at_secret(file.descriptor()))) {
        throw unusable(
            path, fmt::format("others than its owner may use it: run `chmod 600 {}`", path)
        );
    }
}

}  // namespace

std::string first_line(std::string_view text) {
    std::string_view line = text.substr(0, text.find('\n'));
    if (line.ends_with('\r')) {
        line.remove_suffix(1);
    }
    return std::string(line);
}

std::string password_in_file(const std::string& path) {
    const OpenFile file(path);
    require_private(file, path);
    std::string text(kPasswordBytes + 1, '\0');
    const ssize_t size = ::read(file.descriptor(), text.data(), text.size());
    if (size < 0) {
        throw unusable(path, reason());
    }
    text.resize(static_cast<std::size_t>(size));
    std::string password = first_line(text);
    if (password.empty()) {
        throw unusable(path, "its first line is empty, and should be the password");
    }
    if (password.size() > kPasswordBytes) {
        throw unusable(path, fmt::format("its first line has more than {} bytes", kPasswordBytes));
    }
    return password;
}

}  // namespace jobstrand::persistence
