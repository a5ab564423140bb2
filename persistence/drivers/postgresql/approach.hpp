#pragma once

#include "persistence/drivers/postgresql/guarded_login.hpp"
#include "persistence/url/database_url.hpp"

#include <optional>
#include <string>

namespace jobstrand::persistence {

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

}  // namespace jobstrand::persistence
