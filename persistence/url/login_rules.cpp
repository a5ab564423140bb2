#include "persistence/url/login_rules.hpp"

#include "persistence/url/database_url.hpp"
#include "persistence/url/listed.hpp"
#include "persistence/url/url_options.hpp"

#include <fmt/format.h>

#include <array>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

namespace {

bool is_tls_wanted(const DatabaseUrl& url) {
    return option_text(url, kSslOption, {}) == "require" || server_is_verified(url);
}

std::optional<std::string> password_error(const DatabaseUrl& url) {
    std::vector<std::string> places;
    if (!url.password.empty()) {
        places.emplace_back("the URL itself");
    }
    for (const std::string_view option : {kPasswordFileOption, kPasswordCommandOption}) {
        if (url.options.contains(option)) {
            places.emplace_back(option);
        }
    }
    if (places.size() > 1) {
        return fmt::format("one password is enough, and it comes from {}", listed(places, "and"));
    }
    // A program that is looked for on a PATH is another one on another day.
    const std::string_view command = option_text(url, kPasswordCommandOption, "/");
    if (!command.starts_with('/')) {
        return fmt::format("{} begins with the absolute path of a program", kPasswordCommandOption);
    }
    return std::nullopt;
}

std::optional<std::string> socket_error(const DatabaseUrl& url) {
    const std::string_view socket = option_text(url, kSocketOption, {});
    if (socket.empty()) {
        return std::nullopt;
    }
    if (!socket.starts_with('/')) {
        return fmt::format("{} must be an absolute path", kSocketOption);
    }
    if (!url.host.empty() && url.host != "localhost") {
        return fmt::format("a host and {} exclude each other", kSocketOption);
    }
    if (is_tls_wanted(url)) {
        return "a socket of this machine has no TLS and needs none: leave ssl out";
    }
    return std::nullopt;
}

std::optional<std::string> certificate_error(const DatabaseUrl& url) {
    const bool has_certificate = url.options.contains(kSslCertOption);
    if (has_certificate != url.options.contains(kSslKeyOption)) {
        return fmt::format("{} and {} belong together", kSslCertOption, kSslKeyOption);
    }
    if (has_certificate && !is_tls_wanted(url)) {
        return fmt::format(
            "{} is shown inside TLS: add ssl=verify, or ssl=require", kSslCertOption
        );
    }
    if (option_text(url, kSslOption, {}) == "verify-ca" && !url.options.contains(kSslCaOption)) {
        return fmt::format(
            "ssl=verify-ca needs {}, the file with the server's certificate or its CA", kSslCaOption
        );
    }
    return std::nullopt;
}

/// Inside TLS the password is sent as it is.
std::optional<std::string> public_key_error(const DatabaseUrl& url) {
    if (url.options.contains(kServerPublicKeyOption) && is_tls_wanted(url)) {
        return fmt::format(
            "{} is for connections without TLS: leave it out, and use ssl=verify or ssl=verify-ca",
            kServerPublicKeyOption
        );
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string> login_error(const DatabaseUrl& url) {
    for (const auto error_in :
         {password_error, socket_error, certificate_error, public_key_error}) {
        if (auto error = error_in(url)) {
            return error;
        }
    }
    return std::nullopt;
}

}  // namespace jobstrand::persistence
