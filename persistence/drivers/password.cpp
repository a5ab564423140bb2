#include "persistence/drivers/password.hpp"

#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/drivers/socket.hpp"
#include "persistence/sql/db_error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

namespace jobstrand::persistence {

DatabaseUrl with_password(const Driver& driver, DatabaseUrl url) {
    if (!url.password.empty()) {
        return url;
    }
    if (const auto file = option_text(url, kPasswordFileOption, {}); !file.empty()) {
        url.password = password_in_file(std::string(file));
    } else if (const auto command = option_text(url, kPasswordCommandOption, {});
               !command.empty()) {
        url.password = password_printed_by(command);
    } else if (driver.find_password != nullptr) {
        url.password = driver.find_password(url);
    }
    return url;
}

namespace {

using std::chrono::steady_clock;

/// How a program is started, as posix_spawn wants it: in a group of its own, with the usual
/// signals, and with nothing but its stdout connected to us.
class SpawnPlan final {
public:
    explicit SpawnPlan(int output) {
        posix_spawn_file_actions_init(&files_);
        posix_spawn_file_actions_addopen(&files_, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
        posix_spawn_file_actions_adddup2(&files_, output, STDOUT_FILENO);
        posix_spawn_file_actions_addopen(&files_, STDERR_FILENO, "/dev/null", O_WRONLY, 0);
        posix_spawnattr_init(&attributes_);
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        posix_spawnattr_setsigmask(&attributes_, &none);
        posix_spawnattr_setsigdefault(&attributes_, &all);
        posix_spawnattr_setflags(
            &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        );
    }
    ~SpawnPlan() {
        posix_spawnattr_destroy(&attributes_);
        posix_spawn_file_actions_destroy(&files_);
    }

    SpawnPlan(const SpawnPlan&) = delete;
    SpawnPlan& operator=(const SpawnPlan&) = delete;

    /// 0, or the errno of what stands in the way.
    [[nodiscard]] int run(std::vector<std::string> words, pid_t& process) const {
        std::vector<char*> arguments;
        for (std::string& word : words) {
            arguments.push_back(word.data());
        }
        arguments.push_back(nullptr);
        return ::posix_spawn(
            &process, arguments.front(), &files_, &attributes_, arguments.data(), environ
        );
    }

private:
    posix_spawn_file_actions_t files_{};
    posix_spawnattr_t attributes_{};
};

/// A program that runs, until this object ends: with all that it has started.
class Program final {
public:
    /// Throws std::system_error.
    explicit Program(const std::vector<std::string>& words) {
        std::array<int, 2> pipe{};
        if (::pipe2(pipe.data(), O_CLOEXEC) != 0) {
            throw std::system_error(errno, std::generic_category());
        }
        output_.emplace(pipe[0]);
        const Socket its_end(pipe[1]);
        if (const int error = SpawnPlan(its_end.descriptor()).run(words, process_); error != 0) {
            throw std::system_error(error, std::generic_category());
        }
        // The header of glibc 2.36 declares pidfd_open as a C++ function, which no library has.
        end_.emplace(static_cast<int>(::syscall(SYS_pidfd_open, process_, 0U)));
    }
    ~Program() {
        if (process_ > 0) {
            ::kill(-process_, SIGKILL);
            ::waitpid(process_, nullptr, 0);
        }
    }

    Program(const Program&) = delete;
    Program& operator=(const Program&) = delete;

    /// What it prints, at most so many bytes and one more; nullopt: it was not done in time.
    [[nodiscard]] std::optional<std::string>
    read_all(std::size_t most, steady_clock::time_point deadline) const {
        std::string text;
        std::array<char, 512> piece{};
        while (text.size() <= most) {
            if (!is_ready(output_->descriptor(), deadline)) {
                return std::nullopt;
            }
            const ssize_t size = ::read(output_->descriptor(), piece.data(), piece.size());
            if (size == 0) {
                break;
            }
            if (size > 0) {
                text.append(piece.data(), static_cast<std::size_t>(size));
            }
        }
        return text;
    }

    /// Its exit code, -1 for a signal; nullopt: it was not done in time.
    [[nodiscard]] std::optional<int> wait(steady_clock::time_point deadline) {
        if (!is_ready(end_->descriptor(), deadline)) {
            return std::nullopt;
        }
        int status = 0;
        ::kill(-process_, SIGKILL);  // Before its number may be another's: what it has left behind.
        ::waitpid(std::exchange(process_, -1), &status, 0);
        return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }

private:
    [[nodiscard]] static bool is_ready(int descriptor, steady_clock::time_point deadline) {
        pollfd watched{.fd = descriptor, .events = POLLIN, .revents = 0};
        for (;;) {
            const auto left =
                std::chrono::ceil<std::chrono::milliseconds>(deadline - steady_clock::now());
            const int ready =
                ::poll(&watched, 1, static_cast<int>(std::max<long>(left.count(), 0)));
            if (ready >= 0 || errno != EINTR) {
                return ready > 0;
            }
        }
    }

    pid_t process_ = -1;
    std::optional<Socket> output_;
    std::optional<Socket> end_;  ///< Readable when the program has ended.
};

[[nodiscard]] std::vector<std::string> words_of(std::string_view command) {
    std::istringstream text{std::string(command)};
    std::vector<std::string> words;
    for (std::string word; text >> word;) {
        words.push_back(word);
    }
    return words;
}

[[nodiscard]] DbError no_password(const std::string& program, std::string_view why) {
    return DbError(
        DbErrorKind::unreachable,
        fmt::format(
            "the password command {} {}: run it by hand, as the user of this process, to see why",
            program,
            why
        )
    );
}

}  // namespace

std::string password_printed_by(std::string_view command, schema::Duration time_limit) {
    const std::vector<std::string> words = words_of(command);
    const std::string& name = words.at(0);
    const auto deadline = steady_clock::now() + time_limit;
    std::optional<Program> program;
    // Defended catch: a program that is not there is an answer for the person who named it.
    try {
        program.emplace(words);
    } catch (const std::system_error& error) {
        throw no_password(name, fmt::format("cannot be started ({})", error.code().message()));
    }
    const auto printed = program->read_all(kPasswordBytes, deadline);
    if (printed && printed->size() > kPasswordBytes) {
        throw no_password(name, fmt::format("prints more than {} bytes", kPasswordBytes));
    }
    const auto exit_code = printed ? program->wait(deadline) : std::nullopt;
    if (!exit_code) {
        throw no_password(name, fmt::format("is not done after {} ms", time_limit.count()));
    }
    if (*exit_code != 0) {
        throw no_password(
            name,
            *exit_code < 0 ? "was killed" : fmt::format("failed with exit code {}", *exit_code)
        );
    }
    std::string password = first_line(*printed);
    if (password.empty()) {
        throw no_password(name, "prints no password");
    }
    return password;
}

namespace {

[[nodiscard]] DbError unusable(const std::string& path, std::string_view why) {
    return DbError(
        DbErrorKind::access_denied, fmt::format("cannot use the password file {}: {}", path, why)
    );
}

[[nodiscard]] std::string reason() {
    return std::generic_category().message(errno);
}

/// The opened file is looked at, and not its name, which may lead elsewhere by now.
void require_private(const Socket& file, const std::string& path) {
    struct stat found {};
    if (file.descriptor() < 0 || ::fstat(file.descriptor(), &found) != 0) {
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
    // Does not wait for the writer of a pipe, which is refused.
    const Socket file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
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

namespace {

constexpr uid_t kRoot = 0;

[[nodiscard]] bool is_read_only(int descriptor) {
    struct statvfs about {};
    return ::fstatvfs(descriptor, &about) == 0 && (about.f_flag & ST_RDONLY) != 0;
}

/// Whether something is mounted right here.
[[nodiscard]] bool is_mount(
    [[maybe_unused]] int folder,
    [[maybe_unused]] const char* name,
    [[maybe_unused]] int flags
) {
#ifdef STATX_ATTR_MOUNT_ROOT
    struct statx about {};
    return ::statx(folder, name, flags, STATX_BASIC_STATS, &about) == 0 &&
           (about.stx_attributes & STATX_ATTR_MOUNT_ROOT) != 0;
#else
    return false;
#endif
}

/// The file or its folder is a mount, and this process may write neither of them.
[[nodiscard]] bool is_mount_of_its_own(int descriptor) {
    std::error_code error;
    const auto path =
        std::filesystem::read_symlink(fmt::format("/proc/self/fd/{}", descriptor), error);
    if (error) {
        return false;
    }
    const std::string folder = path.parent_path().string();
    const bool is_there =
        is_mount(descriptor, "", AT_EMPTY_PATH) || is_mount(AT_FDCWD, folder.c_str(), 0);
    return is_there && ::faccessat(AT_FDCWD, folder.c_str(), W_OK, AT_EACCESS) != 0 &&
           ::faccessat(AT_FDCWD, path.c_str(), W_OK, AT_EACCESS) != 0;
}

}  // namespace

bool is_kept_secret(const SecretFile& file) {
    constexpr mode_t read_by_group = S_IRGRP;
    constexpr mode_t read_by_all = S_IRGRP | S_IROTH;
    mode_t allowed = 0;
    if (file.owner == kRoot) {
        allowed = file.is_handed_in ? read_by_all : read_by_group;
    }
    return (file.mode & (S_IRWXG | S_IRWXO) & ~allowed) == 0;
}

SecretFile look_at_secret(int descriptor) {
    struct stat found {};
    if (::fstat(descriptor, &found) != 0) {
        throw std::system_error(errno, std::generic_category());
    }
    return {
        .owner = found.st_uid,
        .mode = found.st_mode,
        .is_handed_in = is_read_only(descriptor) || is_mount_of_its_own(descriptor),
    };
}

}  // namespace jobstrand::persistence
