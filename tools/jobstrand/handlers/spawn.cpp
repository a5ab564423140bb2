#include "tools/jobstrand/handlers/spawn.hpp"

#include <fcntl.h>
#include <spawn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>
#include <system_error>

namespace jobstrand::cli {

namespace {

void check(int error, const char* what) {
    if (error != 0) {
        throw std::system_error(error, std::generic_category(), what);
    }
}

int checked(int fd, const char* what) {
    if (fd < 0) {
        check(errno, what);
    }
    return fd;
}

/// The input as a file in memory. The program can read it at its own pace or not at all, so nobody
/// has to feed a pipe, and no SIGPIPE comes of a program that does not listen.
[[nodiscard]] UniqueFd input_file(std::string_view input) {
    UniqueFd file(checked(::memfd_create("payload", MFD_CLOEXEC), "memfd_create"));
    while (!input.empty()) {
        const ssize_t written = ::write(file.get(), input.data(), input.size());
        if (written < 0) {
            check(errno, "write");
        }
        input.remove_prefix(static_cast<std::size_t>(written));
    }
    ::lseek(file.get(), 0, SEEK_SET);
    return file;
}

struct Pipe {
    UniqueFd read_end;
    UniqueFd write_end;
};

[[nodiscard]] Pipe make_pipe() {
    int ends[2] = {-1, -1};
    checked(::pipe2(ends, O_CLOEXEC), "pipe2");
    Pipe pipe{.read_end = UniqueFd(ends[0]), .write_end = UniqueFd(ends[1])};
    // Only our end: a program may not expect a stdout that refuses to wait.
    checked(::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK), "fcntl");
    return pipe;
}

/// What happens to descriptors and the directory between fork and exec.
class FileActions {
public:
    FileActions(const ChildProcess& child, const UniqueFd& input, const UniqueFd& output) {
        check(::posix_spawn_file_actions_init(&actions_), "posix_spawn_file_actions_init");
        check(add_all(child, input, output), "posix_spawn_file_actions");
    }
    ~FileActions() { ::posix_spawn_file_actions_destroy(&actions_); }
    FileActions(const FileActions&) = delete;
    FileActions& operator=(const FileActions&) = delete;

    [[nodiscard]] const posix_spawn_file_actions_t* get() const { return &actions_; }

private:
    int add_all(const ChildProcess& child, const UniqueFd& input, const UniqueFd& output) {
        int error = ::posix_spawn_file_actions_adddup2(&actions_, input.get(), STDIN_FILENO);
        for (const int target : {STDOUT_FILENO, STDERR_FILENO}) {
            error = error != 0
                        ? error
                        : ::posix_spawn_file_actions_adddup2(&actions_, output.get(), target);
        }
        // Libraries open descriptors without O_CLOEXEC; none of them is the program's business.
        if (error == 0) {
            error = ::posix_spawn_file_actions_addclosefrom_np(&actions_, STDERR_FILENO + 1);
        }
        if (error == 0 && !child.working_directory.empty()) {
            error =
                ::posix_spawn_file_actions_addchdir_np(&actions_, child.working_directory.c_str());
        }
        return error;
    }

    posix_spawn_file_actions_t actions_{};
};

/// Process group and signals: the service blocks and ignores some, its programs must not.
class Attributes {
public:
    Attributes() {
        check(::posix_spawnattr_init(&attributes_), "posix_spawnattr_init");
        sigset_t none;
        sigset_t all;
        sigemptyset(&none);
        sigfillset(&all);
        ::posix_spawnattr_setflags(
            &attributes_, POSIX_SPAWN_SETPGROUP | POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF
        );
        ::posix_spawnattr_setpgroup(&attributes_, 0);
        ::posix_spawnattr_setsigmask(&attributes_, &none);
        ::posix_spawnattr_setsigdefault(&attributes_, &all);
    }
    ~Attributes() { ::posix_spawnattr_destroy(&attributes_); }
    Attributes(const Attributes&) = delete;
    Attributes& operator=(const Attributes&) = delete;

    [[nodiscard]] const posix_spawnattr_t* get() const { return &attributes_; }

private:
    posix_spawnattr_t attributes_{};
};

/// Pointers to texts, ended by a null pointer, as exec wants them. Borrows the texts.
[[nodiscard]] std::vector<char*> pointers_to(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    pointers.reserve(texts.size() + 1);
    for (std::string& text : texts) {
        pointers.push_back(text.data());
    }
    pointers.push_back(nullptr);
    return pointers;
}

[[nodiscard]] pid_t
start(const ChildProcess& child, const UniqueFd& input, const UniqueFd& output) {
    std::vector<std::string> arguments{child.program};
    arguments.insert(arguments.end(), child.arguments.begin(), child.arguments.end());
    std::vector<std::string> environment = child.environment;
    const FileActions actions(child, input, output);
    const Attributes attributes;
    pid_t pid = -1;
    const int error = ::posix_spawn(
        &pid,
        child.program.c_str(),
        actions.get(),
        attributes.get(),
        pointers_to(arguments).data(),
        pointers_to(environment).data()
    );
    check(error, "posix_spawn");
    return pid;
}

}  // namespace

UniqueFd open_pidfd(pid_t pid) {
    // The header of glibc 2.36 declares pidfd_open as a C++ function, which no library has.
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
}

SpawnedProcess spawn(const ChildProcess& child) {
    Pipe pipe = make_pipe();
    const UniqueFd input = input_file(child.input);
    SpawnedProcess process;
    process.pid = start(child, input, pipe.write_end);
    process.output = std::move(pipe.read_end);
    process.pidfd = open_pidfd(process.pid);
    if (!process.pidfd) {
        const int error = errno;
        ::kill(-process.pid, SIGKILL);
        ::waitpid(process.pid, nullptr, 0);
        check(error, "pidfd_open");
    }
    return process;
}

}  // namespace jobstrand::cli
