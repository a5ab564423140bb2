#include "persistence/drivers/password_command.hpp"

#include "persistence/drivers/password_file.hpp"
#include "persistence/drivers/socket.hpp"
#include "persistence/sql/db_error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <optional>
#include <sstream>
#include <system_error>
#include <vector>

namespace jobstrand::persistence {

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

}  // namespace jobstrand::persistence
