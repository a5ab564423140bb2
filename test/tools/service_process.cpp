#include "test/tools/service_process.hpp"

#include "test/fixtures/signal.hpp"

#include <poll.h>
#include <sys/wait.h>

#include <array>
#include <csignal>

namespace jobstrand::test {

namespace {

[[nodiscard]] cli::SpawnedProcess start(
    const std::vector<std::string>& arguments,
    const std::vector<std::string>& environment,
    cli::Guardian& guardian
) {
    return cli::spawn(
        {.program = JOBSTRAND_PROGRAM, .arguments = arguments, .environment = environment}, guardian
    );
}

}  // namespace

ServiceProcess::ServiceProcess(
    const std::vector<std::string>& arguments,
    const std::vector<std::string>& env
)
    : process_(start(arguments, env, guardian_)) {}

ServiceProcess::~ServiceProcess() {
    if (!has_ended_) {
        ::kill(process_.pid, SIGKILL);
        guardian_.ended(process_.pid);
        ::waitpid(process_.pid, nullptr, 0);
    }
}

bool ServiceProcess::says(const std::string& text) {
    while (true) {
        const std::size_t found = output_.find(text, heard_);
        if (found != std::string::npos) {
            heard_ = found + text.size();
            return true;
        }
        if (!read_more()) {
            return false;
        }
    }
}

void ServiceProcess::send(int signal) const {
    ::kill(process_.pid, signal);
}

int ServiceProcess::exit_code() {
    if (!is_readable(process_.pidfd.get())) {
        return -1;
    }
    while (read_more()) {
    }
    int status = 0;
    guardian_.ended(process_.pid);
    ::waitpid(process_.pid, &status, 0);
    has_ended_ = true;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

bool ServiceProcess::read_more() {
    if (!process_.output || !is_readable(process_.output.get())) {
        return false;
    }
    std::array<char, 4096> buffer;
    const ssize_t count = ::read(process_.output.get(), buffer.data(), buffer.size());
    if (count <= 0) {
        return false;
    }
    output_.append(buffer.data(), static_cast<std::size_t>(count));
    return true;
}

bool ServiceProcess::is_readable(int fd) {
    pollfd watched{.fd = fd, .events = POLLIN, .revents = 0};
    const auto limit = std::chrono::milliseconds(kPatience).count();
    return ::poll(&watched, 1, static_cast<int>(limit)) == 1;
}

}  // namespace jobstrand::test
