#include "tools/handlers/guardian.hpp"

#include "tools/process/signals.hpp"

#include <poll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <system_error>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

/// More programs than any service runs at once. The room is made before the fork, because nothing
/// may be allocated behind it; what is not used costs nothing.
constexpr std::size_t kMostGroups = 65'536;

/// A number that is positive begins a group, a negative one ends it.
void note(std::vector<pid_t>& groups, pid_t record) noexcept {
    if (record > 0 && groups.size() < groups.capacity()) {
        groups.push_back(record);
        return;
    }
    const auto found = std::find(groups.begin(), groups.end(), -record);
    if (found != groups.end()) {
        *found = groups.back();
        groups.pop_back();
    }
}

/// Keeps nothing open that others wait for the end of: a connection to a database above all.
void keep_only(int channel) noexcept {
    ::dup2(channel, STDIN_FILENO);
    ::close_range(STDIN_FILENO + 1, ~0U, 0);
}

/// What the process beside does. It calls only what may be called behind a fork of many threads.
[[noreturn]] void guard(int channel, std::vector<pid_t>& groups) noexcept {
    ::prctl(PR_SET_NAME, "jobstrand-guard");
    keep_only(channel);
    pid_t record = 0;
    ssize_t size = sizeof record;
    while (size == sizeof record || (size < 0 && errno == EINTR)) {
        size = ::recv(STDIN_FILENO, &record, sizeof record, 0);
        if (size == sizeof record) {
            note(groups, record);
        }
    }
    for (const pid_t group : groups) {
        ::kill(-group, SIGKILL);
    }
    ::_exit(0);
}

[[nodiscard]] rlim_t allowed_descriptors() {
    rlimit limit{.rlim_cur = RLIM_INFINITY, .rlim_max = RLIM_INFINITY};
    (void)::getrlimit(RLIMIT_NOFILE, &limit);
    return limit.rlim_cur;
}

[[noreturn]] void fail(const char* what) {
    throw std::system_error(errno, std::generic_category(), what);
}

}  // namespace

Guardian::Guardian() : descriptors_(allowed_descriptors()) {}

Guardian::~Guardian() {
    channel_.reset();
    if (process_ > 0) {
        ::waitpid(process_, nullptr, 0);
    }
}

void Guardian::start() {
    const std::lock_guard lock(mutex_);
    start_if_needed();
}

pid_t Guardian::process() {
    const std::lock_guard lock(mutex_);
    return process_;
}

int Guardian::channel() {
    const std::lock_guard lock(mutex_);
    start_if_needed();
    return channel_.get();
}

void Guardian::await_end() {
    const std::lock_guard lock(mutex_);
    pollfd watched{channel_.get(), 0, 0};
    const bool is_ending = ::poll(&watched, 1, 0) > 0 && (watched.revents & POLLHUP) != 0;
    if (process_ > 0 && is_ending) {  // Else another thread has waited, and has started one.
        ::waitpid(process_, nullptr, 0);
        process_ = -1;
    }
}

void Guardian::began(pid_t group) {
    const std::lock_guard lock(mutex_);
    groups_.insert(group);
}

void Guardian::ended(pid_t group) {
    const std::lock_guard lock(mutex_);
    groups_.erase(group);
    const pid_t record = -group;
    // Nobody is there to be told when the process has been killed.
    (void)::send(channel_.get(), &record, sizeof record, MSG_NOSIGNAL);
}

void Guardian::start_if_needed() {
    if (process_ > 0 && ::waitpid(process_, nullptr, WNOHANG) == 0) {
        return;
    }
    int ends[2] = {-1, -1};
    // Of this kind, because messages stay whole and the end of the other side is seen.
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) {
        fail("socketpair");
    }
    UniqueFd ours(ends[0]);
    const UniqueFd theirs(ends[1]);
    std::vector<pid_t> groups;
    groups.reserve(kMostGroups);
    // It keeps them blocked: those of a service manager are meant for the service, and end it by
    // way of that.
    const SignalsBlocked blocked;
    process_ = ::fork();
    if (process_ == 0) {
        guard(theirs.get(), groups);
    }
    if (process_ < 0) {
        fail("fork");
    }
    ::setpgid(process_, process_);  // The same for those of the terminal.
    channel_ = std::move(ours);
    for (const pid_t group : groups_) {
        (void)announce(channel_.get(), group);
    }
}

bool announce(int channel, pid_t group) noexcept {
    return ::send(channel, &group, sizeof group, MSG_NOSIGNAL | MSG_DONTWAIT) == sizeof group;
}

}  // namespace jobstrand::cli
