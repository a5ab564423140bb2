#include "tools/handlers/spawn.hpp"

#include "tools/handlers/exec_program.hpp"

#include <fcntl.h>
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
    return {.read_end = UniqueFd(ends[0]), .write_end = UniqueFd(ends[1])};
}

[[nodiscard]] Pipe make_output_pipe() {
    Pipe pipe = make_pipe();
    // Only our end: a program may not expect a stdout that refuses to wait.
    checked(::fcntl(pipe.read_end.get(), F_SETFL, O_NONBLOCK), "fcntl");
    return pipe;
}

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

struct Descriptors {
    const UniqueFd& input;
    const UniqueFd& output;
    const UniqueFd& errors;
};

/// The errno that a program could not begin with; 0: it has begun.
[[nodiscard]] int reported(const UniqueFd& report) {
    int error = 0;
    while (::read(report.get(), &error, sizeof error) < 0 && errno == EINTR) {
    }
    return error;
}

/// A program that has begun, or why it could not.
struct Start {
    pid_t pid = -1;
    int error = 0;
};

[[nodiscard]] Start
try_to_start(const ChildProcess& child, const Descriptors& its, Guardian& guardian) {
    std::vector<std::string> arguments{child.program};
    arguments.insert(arguments.end(), child.arguments.begin(), child.arguments.end());
    std::vector<std::string> environment = child.environment;
    Pipe report = make_pipe();
    const pid_t pid = checked(
        exec_program(
            {.path = child.program.c_str(),
             .arguments = pointers_to(arguments).data(),
             .environment = pointers_to(environment).data(),
             .working_directory =
                 child.working_directory.empty() ? nullptr : child.working_directory.c_str(),
             .input = its.input.get(),
             .output = its.output.get(),
             .errors = its.errors.get(),
             .guardian = guardian.channel(),
             .report = report.write_end.get(),
             .descriptors = guardian.descriptors()}
        ),
        "vfork"
    );
    guardian.began(pid);
    report.write_end.reset();
    const int error = reported(report.read_end);
    if (error != 0) {
        guardian.ended(pid);
        ::waitpid(pid, nullptr, 0);
    }
    return {.pid = pid, .error = error};
}

[[nodiscard]] pid_t start(const ChildProcess& child, const Descriptors& its, Guardian& guardian) {
    Start started = try_to_start(child, its, guardian);
    if (started.error == EPIPE || started.error == ECONNRESET) {
        guardian.await_end();
        started = try_to_start(child, its, guardian);
    }
    check(started.error, "execve");
    return started.pid;
}

}  // namespace

UniqueFd open_pidfd(pid_t pid) {
    // The header of glibc 2.36 declares pidfd_open as a C++ function, which no library has.
    return UniqueFd(static_cast<int>(::syscall(SYS_pidfd_open, pid, 0U)));
}

SpawnedProcess spawn(const ChildProcess& child, Guardian& guardian) {
    Pipe output = make_output_pipe();
    Pipe errors = child.keeps_stdout_apart ? make_output_pipe() : Pipe{};
    const UniqueFd input = input_file(child.input);
    SpawnedProcess process;
    process.pid = start(
        child,
        {.input = input,
         .output = output.write_end,
         .errors = child.keeps_stdout_apart ? errors.write_end : output.write_end},
        guardian
    );
    process.output = std::move(output.read_end);
    process.errors = std::move(errors.read_end);
    process.pidfd = open_pidfd(process.pid);
    if (!process.pidfd) {
        const int error = errno;
        ::kill(-process.pid, SIGKILL);
        guardian.ended(process.pid);
        ::waitpid(process.pid, nullptr, 0);
        check(error, "pidfd_open");
    }
    return process;
}

}  // namespace jobstrand::cli
