#include "tools/process/supervisor.hpp"

#include "tools/process/unique_fd.hpp"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstring>

namespace jobstrand::cli {

namespace {

std::string value_in(const Environment& environment, std::string_view name) {
    const auto found = environment.find(name);
    return found == environment.end() ? "" : found->second;
}

/// nullopt: it is none, or not above zero.
std::optional<std::int64_t> positive(const std::string& text) {
    std::int64_t number = 0;
    const char* const end = text.data() + text.size();
    const auto read = std::from_chars(text.data(), end, number);
    return read.ec == std::errc() && read.ptr == end && number > 0 ? std::optional(number)
                                                                   : std::nullopt;
}

std::optional<schema::Duration> half_of_watchdog(const Environment& environment) {
    const std::string process = value_in(environment, "WATCHDOG_PID");
    const auto us = positive(value_in(environment, "WATCHDOG_USEC"));
    if (!us || (!process.empty() && positive(process) != ::getpid())) {
        return std::nullopt;
    }
    const auto half = std::chrono::floor<schema::Duration>(std::chrono::microseconds(*us / 2));
    return std::max(half, schema::Duration(1));
}

}  // namespace

Supervisor::Supervisor(const Environment& environment)
    : socket_(value_in(environment, "NOTIFY_SOCKET")),
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
