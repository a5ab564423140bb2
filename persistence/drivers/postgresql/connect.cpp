#include "persistence/drivers/postgresql/connect.hpp"

#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/postgresql/guarded_login.hpp"
#include "persistence/drivers/postgresql/postgresql_errors.hpp"
#include "persistence/sql/db_error.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <poll.h>
#include <soci/postgresql/soci-postgresql.h>
#include <soci/soci.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::persistence {

namespace {

/// How one connection comes to its server, as the URL's options `ssl` and `clear_password` want it:
/// directly, or through a guarded login. It lives until the login is over.
class Approach final {
public:
    /// Where the client library cannot guard the password, this asks the server whether it has TLS.
    /// Throws DbError: unreachable, not_a_database.
    explicit Approach(const DatabaseUrl& url);

    /// What the client library is told. It has the password in it.
    [[nodiscard]] const std::string& text() const { return text_; }

    /// The login has succeeded.
    void arrive(pg_conn* connection);

    /// An error of the library as a person would say it: with the place that the URL names.
    [[nodiscard]] std::string in_words(std::string message) const;

    /// The server has asked for the password itself.
    [[nodiscard]] bool has_refused() const { return login_ && login_->has_refused(); }

private:
    const DatabaseUrl& url_;
    std::string text_;
    std::optional<GuardedLogin> login_;
};

/// The first version of the library that can be told what it must not give away.
constexpr int kKnowsRequireAuth = 160000;

/// https://www.postgresql.org/docs/current/protocol-message-formats.html: SSLRequest.
constexpr std::string_view kAskForTls("\0\0\0\x08\x04\xd2\x16\x2f", 8);

/// A server answers with one letter, and says no more until it is asked.
[[nodiscard]] bool offers_tls(const Socket& server) {
    server.send(kAskForTls);
    const std::string answer = server.receive(1);
    char more = 0;
    const bool is_all = ::recv(server.descriptor(), &more, 1, MSG_PEEK | MSG_DONTWAIT) < 0;
    if (!is_all || (answer != "S" && answer != "N")) {
        throw DbError(
            DbErrorKind::not_a_database,
            "what answers there is not a PostgreSQL server: check host and port"
        );
    }
    return answer == "S";
}

}  // namespace

Approach::Approach(const DatabaseUrl& url) : url_(url), text_(postgresql_connection_text(url)) {
    // Without a password there is nothing to guard; who listens at a socket of this machine has
    // been let into its folder.
    if (url.password.empty() || url.options.contains(kSocketOption)) {
        return;
    }
    const std::string_view ssl = option_text(url, kSslOption, "prefer");
    if (server_is_verified(url) || option_text(url, "clear_password", "refuse") == "allow") {
        return;
    }
    if (PQlibVersion() >= kKnowsRequireAuth) {
        text_ += " require_auth=!password";
        return;
    }
    // With a channel binding only a server that knows the password's own proof lets anybody in, and
    // nobody stands in between. What stands behind wins over what stands before.
    constexpr std::string_view kBound = " sslmode=require channel_binding=require";
    if (ssl == "require") {
        text_ += kBound;
        return;
    }
    Socket server = Socket::connect(url.host, url.port, postgresql_connect_timeout(url));
    if (ssl == "prefer" && offers_tls(server)) {
        text_ += kBound;
        return;
    }
    login_.emplace(std::move(server), url.port);
    text_ += fmt::format(" host='{}' sslmode=disable gssencmode=disable", login_->folder());
}

void Approach::arrive(pg_conn* connection) {
    if (login_) {
        login_->leave(connection, postgresql_answer_limit(url_));
    }
}

std::string Approach::in_words(std::string message) const {
    if (login_) {
        const std::string socket =
            fmt::format("on socket \"{}/.s.PGSQL.{}\"", login_->folder(), url_.port);
        if (const std::size_t found = message.find(socket); found != std::string::npos) {
            message.replace(
                found, socket.size(), fmt::format("at \"{}\", port {}", url_.host, url_.port)
            );
        }
    }
    return message;
}

namespace {

using namespace std::chrono_literals;
using schema::Duration;

constexpr std::string_view kInsufficientPrivilege = "42501";

std::string in_quotes(std::string_view value) {
    std::string text = "'";
    for (const char c : value) {
        if (c == '\'' || c == '\\') {
            text += '\\';
        }
        text += c;
    }
    return text + '\'';
}

std::string_view ssl_mode(const DatabaseUrl& url) {
    const std::string_view word = option_text(url, "ssl", "prefer");
    if (word == "off") {
        return "disable";
    }
    return word == "verify" ? "verify-full" : word;
}

bool is_ready(PGconn* connection, short events, schema::SteadyPoint deadline) {
    const auto left =
        std::chrono::duration_cast<Duration>(deadline - std::chrono::steady_clock::now());
    pollfd socket{.fd = PQsocket(connection), .events = events, .revents = 0};
    return left > 0ms && ::poll(&socket, 1, static_cast<int>(left.count())) > 0;
}

void try_to_connect(PGconn* connection, schema::SteadyPoint deadline) {
    for (auto next = PGRES_POLLING_WRITING;
         next == PGRES_POLLING_WRITING || next == PGRES_POLLING_READING;
         next = PQconnectPoll(connection)) {
        if (!is_ready(connection, next == PGRES_POLLING_READING ? POLLIN : POLLOUT, deadline)) {
            return;
        }
    }
}

/// The SQLSTATE in a message such as `FATAL:  28P01`; empty: there is none.
std::string sqlstate_in(std::string_view message) {
    constexpr std::size_t kLength = 5;
    const std::size_t colon = message.find(":  ");
    const std::string_view state =
        colon == std::string_view::npos ? "" : message.substr(colon + 3, kLength);
    const bool is_state = state.size() == kLength && std::ranges::all_of(state, [](char c) {
                              return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z');
                          });
    return is_state ? std::string(state) : "";
}

/// The code of a server's refusal. The library tells it only when it was asked to before it
/// connects, and SOCI does not ask: so we do, with another try.
std::string ask_for_sqlstate(const DatabaseUrl& url) {
    const Approach approach(url);
    const std::unique_ptr<PGconn, decltype(&PQfinish)> connection(
        PQconnectStart(approach.text().c_str()), &PQfinish
    );
    PQsetErrorVerbosity(connection.get(), PQERRORS_SQLSTATE);
    try_to_connect(
        connection.get(), std::chrono::steady_clock::now() + postgresql_connect_timeout(url)
    );
    return sqlstate_in(PQerrorMessage(connection.get()));
}

DbError clear_password_refused() {
    return DbError(
        DbErrorKind::access_denied,
        "the server wants the password itself, and gets it only with ssl=verify, or with "
        "clear_password=allow in the URL"
    );
}

void ignore_notice(void* /*argument*/, const PGresult* /*notice*/) {}

}  // namespace

std::string postgresql_connection_text(const DatabaseUrl& url) {
    std::string text = fmt::format(
        "host={} port={} user={} password={} dbname={} application_name={} sslmode={} "
        "connect_timeout={} client_encoding=UTF8 keepalives=1 keepalives_idle=30 "
        "keepalives_interval=10 keepalives_count=3 tcp_user_timeout={}",
        in_quotes(option_text(url, kSocketOption, url.host)),
        url.port,
        in_quotes(url.user),
        in_quotes(url.password),
        in_quotes(url.database),
        in_quotes(option_text(url, "application_name", "jobstrand")),
        ssl_mode(url),
        std::chrono::ceil<std::chrono::seconds>(postgresql_connect_timeout(url)).count(),
        postgresql_answer_limit(url).count()
    );
    if (const std::string_view target = option_text(url, kTargetOption, {}); !target.empty()) {
        text += fmt::format(" target_session_attrs={}", target);
    }
    constexpr std::array<std::pair<std::string_view, std::string_view>, 3> kFiles{
        {{"sslrootcert", kSslCaOption}, {"sslcert", kSslCertOption}, {"sslkey", kSslKeyOption}}};
    for (const auto& [parameter, option] : kFiles) {
        if (const std::string_view file = option_text(url, option, {}); !file.empty()) {
            text += fmt::format(" {}={}", parameter, in_quotes(file));
        }
    }
    return text;
}

Duration postgresql_connect_timeout(const DatabaseUrl& url) {
    // The library counts in whole seconds and takes 1 for 2.
    return std::max(option_duration(url, "connect_timeout", 10s), Duration(2s));
}

Duration postgresql_statement_timeout(const DatabaseUrl& url) {
    return option_duration(url, "statement_timeout", 30s);
}

Duration postgresql_answer_limit(const DatabaseUrl& url) {
    return postgresql_statement_timeout(url) + 5s;
}

PGconn* native_handle(soci::session& session) {
    return static_cast<soci::postgresql_session_backend*>(session.get_backend())->conn_;
}

int postgresql_socket(soci::session& session) {
    return PQsocket(native_handle(session));
}

std::unique_ptr<soci::session> connect_to_postgresql(const DatabaseUrl& url) {
    Approach approach(url);
    // Defended catch: SOCI's error becomes one of ours.
    try {
        auto session = std::make_unique<soci::session>(soci::postgresql, approach.text());
        PGconn* const connection = native_handle(*session);
        approach.arrive(connection);
        // The first line is enough; further ones have values in them, which may be secret.
        PQsetErrorVerbosity(connection, PQERRORS_TERSE);
        PQsetNoticeReceiver(connection, ignore_notice, nullptr);
        return session;
    } catch (const soci::soci_error& error) {
        if (approach.has_refused()) {
            throw clear_password_refused();
        }
        std::string message = approach.in_words(error.what());
        message.erase(0, std::min(message.find('\n') + 1, message.size()));
        const std::string sqlstate = ask_for_sqlstate(url);
        const std::string_view advice = postgresql_connect_advice(sqlstate, message);
        std::string text =
            postgresql_error_text(advice.empty() ? "the server says" : advice, message, sqlstate);
        const DbErrorKind kind = classify_postgresql_connect(sqlstate, message);
        if (sqlstate == kInsufficientPrivilege) {
            text += fmt::format(": GRANT CONNECT ON DATABASE {} TO {}", url.database, url.user);
        }
        throw DbError(kind, text);
    }
}

}  // namespace jobstrand::persistence
