#include "persistence/drivers/postgresql/approach.hpp"

#include "persistence/drivers/postgresql/connect.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/url/url_options.hpp"

#include <fmt/format.h>
#include <libpq-fe.h>
#include <sys/socket.h>

#include <string_view>

namespace jobstrand::persistence {

namespace {

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

}  // namespace jobstrand::persistence
