#pragma once

#include "persistence/drivers/database_url.hpp"
#include "schema/text/parsing.hpp"

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// `a, b and c`, with the given last joint.
[[nodiscard]] std::string listed(std::vector<std::string> names, std::string_view joint);

/// An option that may stand behind the `?` of a database URL.
struct UrlOption {
    enum class Form { duration, word, text };

    std::string_view key;
    Form form = Form::duration;
    std::span<const std::string_view> words = {};  ///< Of form `word`: those that are allowed.
    std::string_view also = {};  ///< What the database's own clients call it; empty: the same.
};

/// How the URLs of one database are written.
struct UrlRules {
    std::string_view scheme;
    std::string_view also = {};  ///< Another scheme for the same; empty: there is none.
    int default_port = 0;        ///< 0: the database is a file, and no server has it.
    std::span<const UrlOption> options = {};

    [[nodiscard]] constexpr bool has_server() const { return default_port != 0; }
};

/// The option of this name; nullptr: there is none.
[[nodiscard]] const UrlOption* find_url_option(const UrlRules& rules, std::string_view key);

/// What is wrong with an option, in words for the person who wrote it; nullopt: nothing.
[[nodiscard]] std::optional<std::string>
url_option_error(const UrlRules& rules, std::string_view key, std::string_view value);

/// What cannot be meant so in the way to a server and in what is shown there: two passwords, a host
/// and a socket, half of a certificate. In words for the person who wrote it; nullopt: nothing.
[[nodiscard]] std::optional<std::string> login_error(const DatabaseUrl& url);

/// Percent-escapes are decoded. Unknown schemes and unknown options are errors that name the known
/// ones.
[[nodiscard]] schema::ParseResult<DatabaseUrl>
parse_url(std::string_view text, std::span<const UrlRules> known);

}  // namespace jobstrand::persistence
