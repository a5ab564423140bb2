#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::persistence {

/// An option that may stand behind the `?` of a database URL.
struct UrlOption {
    enum class Form { duration, word, text };

    std::string_view key;
    Form form = Form::duration;
    std::span<const std::string_view> words = {};  ///< Of form `word`: those that are allowed.
};

/// How the URLs of one database are written.
struct UrlRules {
    std::string_view scheme;
    int default_port = 0;  ///< 0: the database is a file, and no server has it.
    std::span<const UrlOption> options = {};

    [[nodiscard]] constexpr bool has_server() const { return default_port != 0; }
};

/// What is wrong with an option, in words for the person who wrote it; nullopt: nothing.
[[nodiscard]] std::optional<std::string>
url_option_error(const UrlRules& rules, std::string_view key, std::string_view value);

}  // namespace jobstrand::persistence
