#pragma once

#include "schema/log.hpp"
#include "schema/time.hpp"
#include "tools/access/token_file.hpp"
#include "tools/service/http/admission.hpp"
#include "tools/service/http/message.hpp"

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::service {

/// Whether a browser sends this request for another page than one of this service. Browsers say so
/// in Sec-Fetch-Site with each request, with a simple GET too, but only to https and to this
/// machine; else Origin, which all but simple GETs have, must be the address that is asked. Who is
/// no browser says neither.
[[nodiscard]] bool is_from_another_page(const Request& request);

/// The session of a browser is its token, in a cookie that no script can read: it ends with the
/// token, wherever it was revoked, and there is nothing else to keep or to steal.
///
/// Empty: there is no such cookie.
[[nodiscard]] std::string_view token_in_cookie(const Request& request);

/// Set-Cookie for `token`, until the browser is closed. It is sent for the API's paths below the
/// one that was asked, by pages of this site alone, and only over TLS where the page came so.
[[nodiscard]] Header session_cookie(const Request& request, std::string_view token);

/// Set-Cookie that ends it.
[[nodiscard]] Header no_session_cookie();

/// Lets in everybody on this machine, but no page of others that a browser on it shows: the Host
/// must be a name of this machine (a page's own name that its server has pointed at 127.0.0.1 is
/// none: DNS rebinding), and see is_from_another_page().
class LocalGate final : public Gate {
public:
    [[nodiscard]] std::optional<Response> refusal(const Request& request, Role needed) override;

    /// Nobody has to say who it is.
    [[nodiscard]] Visitor visitor(const Request& /*request*/) const override {
        return {.name = "local", .role = Role::admin};
    }
};

/// Lets in who shows a token of the file: `Authorization: Bearer TOKEN`, or the cookie that a
/// browser got for one, which no page of others may send. 401 without a good one, or with one that
/// has expired; 403 for a role that is not enough, or another engine. Reads the file
/// anew within two seconds after it was changed, so a token that was revoked is of no use then; a
/// file that cannot be read any more lets nobody in.
///
/// Thread safety: none; it belongs to the thread that serves sockets. The log must outlive it.
class TokenGate final : public Gate {
public:
    using Now = std::function<schema::TimePoint()>;

    /// `engine` is the name of what is behind it; tokens expire by `now`. Throws TokenFileError.
    TokenGate(
        std::string path,
        schema::Log& log,
        std::string engine = std::string(kFirstEngine),
        Now now = machine_time
    );

    /// Whoever has the role `read` sees no values of these members of payloads.
    void hide_from_readers(std::vector<std::string> members) { hidden_ = std::move(members); }

    [[nodiscard]] std::optional<Response> refusal(const Request& request, Role needed) override;

    /// By the name of the token; empty: there is none.
    [[nodiscard]] Visitor visitor(const Request& request) const override;

    [[nodiscard]] static schema::TimePoint machine_time();

private:
    /// What tells one state of the file from another.
    struct FileState {
        std::int64_t changed_ns = 0;
        std::uint64_t inode = 0;
        std::int64_t size = -1;

        bool operator==(const FileState&) const = default;
    };

    [[nodiscard]] FileState state_of_file() const;
    void reload_if_changed();
    /// nullptr: no token was shown that is good.
    [[nodiscard]] const TokenEntry* token_shown(const Request& request) const;

    const std::string path_;
    schema::Log& log_;
    const std::string engine_;
    const Now now_;
    std::vector<std::string> hidden_;
    FileState state_;
    std::chrono::steady_clock::time_point looked_at_;
    std::vector<TokenEntry> tokens_;
};

}  // namespace jobstrand::service
