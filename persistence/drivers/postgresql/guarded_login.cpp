#include "persistence/drivers/postgresql/guarded_login.hpp"

#include "persistence/sql/db_error.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <libpq-fe.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <system_error>

namespace jobstrand::persistence {

namespace {

constexpr std::size_t kLengthSize = 4;
constexpr std::size_t kHeaderSize = 1 + kLengthSize;
/// Much more than any message of a login.
constexpr std::uint32_t kLongest = 1U << 16U;

constexpr char kAuthentication = 'R';
constexpr std::uint32_t kLetIn = 0;
constexpr std::uint32_t kClearPassword = 3;

/// Four bytes, the highest first.
[[nodiscard]] std::uint32_t number_at(std::string_view bytes, std::size_t start) {
    std::uint32_t number = 0;
    for (const char c : bytes.substr(start, kLengthSize)) {
        number = number << 8U | static_cast<std::uint8_t>(c);
    }
    return number;
}

void append_number(std::string& bytes, std::uint32_t number) {
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(number >> static_cast<unsigned>(shift) & 0xFFU);
    }
}

}  // namespace

std::optional<std::string> LoginMessages::pass(std::string_view bytes) {
    rest_ += bytes;
    std::size_t passed = 0;
    while (!is_let_in_ && rest_.size() - passed >= kHeaderSize) {
        const std::string_view message = std::string_view(rest_).substr(passed);
        // The length counts itself, and not the letter in front of it.
        const std::uint32_t length = number_at(message, 1);
        if (length < kLengthSize || length > kLongest) {
            is_broken_ = true;
            return std::move(rest_);
        }
        if (message.size() < 1 + length) {
            break;
        }
        if (message.front() == kAuthentication && length >= 2 * kLengthSize) {
            const std::uint32_t what = number_at(message, kHeaderSize);
            if (what == kClearPassword) {
                return std::nullopt;
            }
            is_let_in_ = what == kLetIn;
        }
        passed += 1 + length;
    }
    if (is_let_in_) {
        passed = rest_.size();
    }
    std::string whole = rest_.substr(0, passed);
    rest_.erase(0, passed);
    return whole;
}

std::string login_error(std::string_view sqlstate, std::string_view text) {
    std::string fields;
    const auto add = [&fields](char letter, std::string_view value) {
        fields += letter;
        fields += value;
        fields += '\0';
    };
    add('S', "FATAL");
    add('C', sqlstate);
    add('M', text);
    fields += '\0';
    std::string message = "E";
    append_number(message, static_cast<std::uint32_t>(kLengthSize + fields.size()));
    return message + fields;
}

namespace {

constexpr std::size_t kPiece = 16'384;

[[noreturn]] void fail(std::string_view what) {
    throw DbError(
        DbErrorKind::unreachable,
        fmt::format("{}: {}", what, std::generic_category().message(errno))
    );
}

[[nodiscard]] Socket listen_at(const std::string& path) {
    Socket listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.size() >= sizeof(address.sun_path)) {
        errno = ENAMETOOLONG;
        fail("cannot listen at " + path);
    }
    std::ranges::copy(path, address.sun_path);
    if (::bind(listener.descriptor(), reinterpret_cast<sockaddr*>(&address), sizeof(address)) !=
            0 ||
        ::listen(listener.descriptor(), 1) != 0) {
        fail("cannot listen at " + path);
    }
    return listener;
}

void set(int socket, int level, int option, int value) {
    ::setsockopt(socket, level, option, &value, sizeof(value));
}

/// As the library does with sockets that it makes (see postgresql_connection_text).
void keep_alive(int socket, schema::Duration answer_limit) {
    set(socket, SOL_SOCKET, SO_KEEPALIVE, 1);
    set(socket, IPPROTO_TCP, TCP_KEEPIDLE, 30);
    set(socket, IPPROTO_TCP, TCP_KEEPINTVL, 10);
    set(socket, IPPROTO_TCP, TCP_KEEPCNT, 3);
    set(socket, IPPROTO_TCP, TCP_USER_TIMEOUT, static_cast<int>(answer_limit.count()));
    ::fcntl(socket, F_SETFL, ::fcntl(socket, F_GETFL) | O_NONBLOCK);
}

}  // namespace

GuardedLogin::Folder::Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "jobstrand-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
        fail("cannot make a folder for the login, " + name);
    }
    path = name;
}

GuardedLogin::Folder::~Folder() {
    std::error_code ignored;
    std::filesystem::remove_all(path, ignored);
}

GuardedLogin::GuardedLogin(Socket server, int port)
    : server_(std::move(server)),
      listener_(listen_at(folder_.path / fmt::format(".s.PGSQL.{}", port))),
      stop_(::eventfd(0, EFD_CLOEXEC)),
      thread_([this] { pass_on(); }) {}

GuardedLogin::~GuardedLogin() {
    stop();
}

void GuardedLogin::leave(pg_conn* connection, schema::Duration answer_limit) {
    stop();
    // What the thread has passed on is read before the socket is another.
    PQconsumeInput(connection);
    keep_alive(server_.descriptor(), answer_limit);
    if (::dup3(server_.descriptor(), PQsocket(connection), O_CLOEXEC) < 0) {
        fail("cannot hand the connection over");
    }
}

void GuardedLogin::stop() {
    const std::uint64_t one = 1;
    if (thread_.joinable() && ::write(stop_.descriptor(), &one, sizeof(one)) == sizeof(one)) {
        thread_.join();
    }
}

void GuardedLogin::pass_on() {
    std::array<pollfd, 2> ready{
        {{listener_.descriptor(), POLLIN, 0}, {stop_.descriptor(), POLLIN, 0}}};
    if (::poll(ready.data(), ready.size(), -1) < 1 || ready[1].revents != 0) {
        return;
    }
    client_.emplace(::accept4(listener_.descriptor(), nullptr, nullptr, SOCK_CLOEXEC));
    // Defended catch: who cannot be sent anything has closed, which ends the talk.
    try {
        pass_on_all();
    } catch (const DbError&) {
    }
    if (!is_stopping()) {
        ::shutdown(client_->descriptor(), SHUT_WR);
    }
}

void GuardedLogin::pass_on_all() {
    LoginMessages messages;
    std::array<pollfd, 3> ready{
        {{client_->descriptor(), POLLIN, 0},
         {server_.descriptor(), POLLIN, 0},
         {stop_.descriptor(), POLLIN, 0}}};
    while (::poll(ready.data(), ready.size(), -1) > 0 && ready[2].revents == 0) {
        const bool is_from_client = ready[0].revents != 0;
        const Socket& from = is_from_client ? *client_ : server_;
        const std::string bytes = from.receive_some(kPiece);
        if (bytes.empty()) {
            return;
        }
        if (is_from_client) {
            server_.send(bytes);
            continue;
        }
        const auto passed = messages.pass(bytes);
        has_refused_ = !passed;
        client_->send(passed ? *passed : login_error("28000", "the clear password is refused"));
        if (!passed || messages.is_broken()) {
            return;
        }
    }
}

bool GuardedLogin::is_stopping() const {
    pollfd ready{stop_.descriptor(), POLLIN, 0};
    return ::poll(&ready, 1, 0) > 0;
}

}  // namespace jobstrand::persistence
