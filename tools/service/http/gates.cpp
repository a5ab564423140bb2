#include "tools/service/http/gates.hpp"

#include "schema/text/time_text.hpp"

#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>

namespace jobstrand::service {

namespace {

/// `localhost:8080` of `http://localhost:8080`.
[[nodiscard]] std::string_view authority_of(std::string_view origin) {
    constexpr std::string_view mark = "://";
    const std::size_t at = origin.find(mark);
    return at == std::string_view::npos ? std::string_view() : origin.substr(at + mark.size());
}

constexpr std::string_view kName = "jobstrand-session";

// Without a Path the browser takes the folder of the path that it asked, which holds behind any
// prefix that a proxy has put before it.
constexpr std::string_view kRules = "HttpOnly; SameSite=Strict";

}  // namespace

bool is_from_another_page(const Request& request) {
    const std::string_view site = request.header("Sec-Fetch-Site");
    if (is_same_token(site, "same-origin")) {
        return false;
    }
    // `none` is what somebody has typed. Another port of this machine is the same site to browsers.
    if (!site.empty() && !is_same_token(site, "none")) {
        return true;
    }
    return request.count_headers("Origin") > 0 &&
           !is_same_token(authority_of(request.header("Origin")), request.header("Host"));
}

std::string_view token_in_cookie(const Request& request) {
    std::string_view rest = request.header("Cookie");
    while (!rest.empty()) {
        const std::string_view pair = rest.substr(0, rest.find(';'));
        rest.remove_prefix(std::min(pair.size() + 1, rest.size()));
        const std::size_t begin = pair.find_first_not_of(' ');
        const std::size_t equals = pair.find('=');
        if (begin < equals && equals != std::string_view::npos &&
            pair.substr(begin, equals - begin) == kName) {
            return pair.substr(equals + 1);
        }
    }
    return {};
}

Header session_cookie(const Request& request, std::string_view token) {
    const bool is_over_tls = request.header("Origin").starts_with("https:");
    return {
        "Set-Cookie",
        fmt::format("{}={}; {}{}", kName, token, kRules, is_over_tls ? "; Secure" : "")};
}

Header no_session_cookie() {
    return {"Set-Cookie", fmt::format("{}=; {}; Max-Age=0", kName, kRules)};
}

namespace {

/// `localhost:8080` without its port.
[[nodiscard]] std::string_view name_in(std::string_view host) {
    const std::size_t bracket = host.find(']');
    const std::size_t colon = host.find(':', bracket == std::string_view::npos ? 0 : bracket);
    return host.substr(0, colon);
}

[[nodiscard]] bool is_this_machine(std::string_view host) {
    constexpr std::array<std::string_view, 3> names{"localhost", "127.0.0.1", "[::1]"};
    return std::ranges::any_of(names, [&](auto name) {
        return is_same_token(name, name_in(host));
    });
}

}  // namespace

std::optional<Response> LocalGate::refusal(const Request& request, Role needed) {
    if (needed == Role::anybody) {
        return std::nullopt;
    }
    if (!is_this_machine(request.header("Host"))) {
        return problem(
            421, "Host must be localhost, 127.0.0.1 or [::1]: use tokens for other names"
        );
    }
    if (is_from_another_page(request)) {
        return problem(403, "other web pages may not call this service");
    }
    return std::nullopt;
}

namespace {

using std::chrono::steady_clock;

/// How often the file is looked at.
constexpr std::chrono::seconds kLook{1};

constexpr std::string_view kScheme = "Bearer ";

/// Longer texts are no tokens, and are not worth hashing.
constexpr std::size_t kTokenLengthMax = 200;

[[nodiscard]] bool has_cookie_only(const Request& request) {
    return request.count_headers("Authorization") == 0;
}

/// Empty: none is shown.
[[nodiscard]] std::string_view token_in(const Request& request) {
    if (has_cookie_only(request)) {
        return token_in_cookie(request);
    }
    const std::string_view authorization = request.header("Authorization");
    return is_same_token(authorization.substr(0, kScheme.size()), kScheme)
               ? authorization.substr(kScheme.size())
               : std::string_view();
}

[[nodiscard]] Response unauthorized(std::string_view detail, std::string_view challenge = {}) {
    Response response = problem(401, detail);
    response.headers.push_back(
        {"WWW-Authenticate", fmt::format("Bearer realm=\"jobstrand\"{}", challenge)}
    );
    return response;
}

}  // namespace

TokenGate::TokenGate(std::string path, schema::Log& log, std::string engine, Now now)
    : path_(std::move(path)),
      log_(log),
      engine_(std::move(engine)),
      now_(std::move(now)),
      state_(state_of_file()),
      looked_at_(steady_clock::now()),
      tokens_(read_tokens(path_)) {}

std::optional<Response> TokenGate::refusal(const Request& request, Role needed) {
    if (needed == Role::anybody) {
        return std::nullopt;
    }
    reload_if_changed();
    if (request.count_headers("Authorization") > 1) {
        return problem(400, "Authorization must be said once");
    }
    const TokenEntry* const token = token_shown(request);
    if (token == nullptr) {
        return unauthorized("show a token: Authorization: Bearer TOKEN");
    }
    if (has_cookie_only(request) && is_from_another_page(request)) {
        return problem(403, "other web pages may not call this service");
    }
    if (token->has_expired(now_())) {
        return unauthorized(
            fmt::format(
                "this token has expired: it was good until {}",
                schema::format_instant(*token->expires)
            ),
            ", error=\"invalid_token\", error_description=\"the token has expired\""
        );
    }
    if (!token->scope.enters(engine_)) {
        return problem(403, fmt::format("this token is not for the engine \"{}\"", engine_));
    }
    if (!may(token->role, needed)) {
        return problem(403, fmt::format("this needs a token with the role {}", name_of(needed)));
    }
    return std::nullopt;
}

Visitor TokenGate::visitor(const Request& request) const {
    const TokenEntry* const token = token_shown(request);
    if (token == nullptr) {
        return {};
    }
    Visitor visitor{
        .name = token->name,
        .role = token->role,
        .scope = token->scope,
        .has_signed_in = has_cookie_only(request),
    };
    if (visitor.role == Role::read) {
        visitor.scope.hidden = hidden_;
    }
    return visitor;
}

schema::TimePoint TokenGate::machine_time() {
    return std::chrono::floor<schema::Duration>(std::chrono::system_clock::now());
}

const TokenEntry* TokenGate::token_shown(const Request& request) const {
    const std::string_view token = token_in(request);
    if (token.empty() || token.size() > kTokenLengthMax) {
        return nullptr;
    }
    const TokenHash shown = hash_of(token);
    const TokenEntry* found = nullptr;
    // All of them, so that the time does not tell which one it was.
    for (const TokenEntry& entry : tokens_) {
        if (are_equal(entry.hash, shown)) {
            found = &entry;
        }
    }
    return found;
}

TokenGate::FileState TokenGate::state_of_file() const {
    struct stat about {};
    if (::stat(path_.c_str(), &about) != 0) {
        return {};
    }
    constexpr std::int64_t ns_per_s = 1'000'000'000;
    return {
        .changed_ns = about.st_mtim.tv_sec * ns_per_s + about.st_mtim.tv_nsec,
        .inode = about.st_ino,
        .size = about.st_size,
    };
}

void TokenGate::reload_if_changed() {
    const auto now = steady_clock::now();
    if (now - looked_at_ < kLook) {
        return;
    }
    looked_at_ = now;
    const FileState state = state_of_file();
    if (state == state_) {
        return;
    }
    state_ = state;
    tokens_.clear();
    // Defended catch: the service lives on, and lets nobody in until the file is in order again.
    try {
        tokens_ = read_tokens(path_);
        log_.write(schema::LogLevel::info, "tokens read anew", {{"tokens", tokens_.size()}});
    } catch (const TokenFileError& error) {
        log_.write(
            schema::LogLevel::error,
            "the token file cannot be read: nobody is let in",
            {{"error", error.what()}}
        );
    }
}

}  // namespace jobstrand::service
