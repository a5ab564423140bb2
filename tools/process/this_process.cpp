#include "tools/process/this_process.hpp"

#include "tools/process/unique_fd.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace jobstrand::cli {

namespace {

constexpr std::size_t kUsualColumns = 80;

/// The password of `scheme://user:password@host...`, as a part of the text; empty: there is none. A
/// password that was not escaped as it should be may hold any character, so the last `@` ends it.
[[nodiscard]] std::string_view password_in(std::string_view text) {
    const std::size_t scheme = text.find("://");
    if (scheme == std::string_view::npos) {
        return {};
    }
    const std::size_t user = scheme + 3;
    const std::size_t at = text.rfind('@');
    const std::size_t colon = text.find(':', user);
    if (at == std::string_view::npos || colon == std::string_view::npos || colon > at) {
        return {};
    }
    return text.substr(colon + 1, at - colon - 1);
}

}  // namespace

void occupy_standard_descriptors() {
    for (const int fd : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO}) {
        if (::fcntl(fd, F_GETFD) < 0) {
            // The lowest free number is this one.
            (void)::open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY);
        }
    }
}

void allow_descriptors(std::size_t count) {
    rlimit limit{};
    if (::getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur < count) {
        limit.rlim_cur = std::min<rlim_t>(count, limit.rlim_max);
        (void)::setrlimit(RLIMIT_NOFILE, &limit);
    }
}

void hide_passwords(std::span<char*> arguments) {
    for (char* argument : arguments) {
        const std::string_view text(argument);
        const std::string_view password = password_in(text);
        if (!password.empty()) {
            std::fill_n(argument + (password.data() - text.data()), password.size(), '*');
        }
    }
}

std::string without_password(std::string text) {
    const std::string_view password = password_in(text);
    if (!password.empty()) {
        const auto start = static_cast<std::size_t>(password.data() - text.data());
        text.replace(start, password.size(), "***");
    }
    return text;
}

std::optional<std::size_t> terminal_columns(int descriptor) {
    if (::isatty(descriptor) != 1) {
        return std::nullopt;
    }
    winsize size{};
    const bool is_told = ::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    return is_told ? size.ws_col : kUsualColumns;
}

bool does_sigpipe_end_us() {
    struct sigaction now {};
    return ::sigaction(SIGPIPE, nullptr, &now) == 0 && now.sa_handler == SIG_DFL;
}

void end_if_nobody_reads() {
    pollfd out{.fd = STDOUT_FILENO, .events = POLLOUT, .revents = 0};
    if (::poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0) {
        std::signal(SIGPIPE, SIG_DFL);
        std::raise(SIGPIPE);
    }
}

std::optional<std::string> variable(const Environment& environment, std::string_view name) {
    const auto found = environment.find(name);
    const bool is_set = found != environment.end() && !found->second.empty();
    return is_set ? std::optional(found->second) : std::nullopt;
}

bool takes_colours(const Environment& environment) {
    return !variable(environment, "NO_COLOR") &&
           variable(environment, "TERM").value_or("dumb") != "dumb";
}

void end_quietly_after(std::chrono::seconds time) {
    std::signal(SIGALRM, [](int) { ::_exit(0); });
    (void)::alarm(static_cast<unsigned>(time.count()));
}

Environment environment_of_process() {
    Environment environment;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string_view text(*entry);
        const std::size_t equals = text.find('=');
        if (equals != std::string_view::npos) {
            environment.emplace(text.substr(0, equals), text.substr(equals + 1));
        }
    }
    return environment;
}

namespace {

/// nullopt: it is none, or not above zero.
std::optional<std::int64_t> positive(const std::string& text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end && number > 0 ? std::optional(number)
                                                                   : std::nullopt;
}

std::optional<schema::Duration> half_of_watchdog(const Environment& environment) {
    const auto process = variable(environment, "WATCHDOG_PID");
    const auto us = positive(variable(environment, "WATCHDOG_USEC").value_or(""));
    if (!us || (process && positive(*process) != ::getpid())) {
        return std::nullopt;
    }
    const auto half = std::chrono::floor<schema::Duration>(std::chrono::microseconds(*us / 2));
    return std::max(half, schema::Duration(1));
}

}  // namespace

Supervisor::Supervisor(const Environment& environment)
    : socket_(variable(environment, "NOTIFY_SOCKET").value_or("")),
      interval_(socket_.empty() ? std::nullopt : half_of_watchdog(environment)) {}

void Supervisor::tell(std::string_view what, std::string_view text) const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (socket_.empty() || socket_.size() >= sizeof address.sun_path) {
        return;
    }
    std::memcpy(address.sun_path, socket_.data(), socket_.size());
    if (address.sun_path[0] == '@') {
        address.sun_path[0] = '\0';
    }
    const UniqueFd sender(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0));
    const auto length = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_.size());
    const std::string message = std::string(what).append(text);
    (void)::sendto(
        sender.get(),
        message.data(),
        message.size(),
        MSG_NOSIGNAL,
        reinterpret_cast<const sockaddr*>(&address),
        length
    );
}

}  // namespace jobstrand::cli
