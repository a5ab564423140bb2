#include "persistence/url/url_options.hpp"

#include "persistence/url/database_url.hpp"
#include "schema/text/iso8601.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::DatabaseKind;

enum class Form { duration, word, text };

struct Option {
    DatabaseKind kind;
    std::string_view key;
    Form form = Form::duration;
    std::vector<std::string_view> words = {};  ///< Of form `word`: those that are allowed.
};

const std::vector<Option>& known_options() {
    static const std::vector<Option> options{
        {DatabaseKind::sqlite, "synchronous", Form::word, {"full", "normal", "off"}},
        {DatabaseKind::sqlite, "busy_timeout"},
        {DatabaseKind::mysql, "connect_timeout"},
        {DatabaseKind::mysql, "statement_timeout"},
        {DatabaseKind::mysql, "ssl", Form::word, {"off", "require", "verify"}},
        {DatabaseKind::mysql, "ssl_ca", Form::text},
        {DatabaseKind::postgresql, "connect_timeout"},
        {DatabaseKind::postgresql, "statement_timeout"},
        {DatabaseKind::postgresql, "lock_timeout"},
        {DatabaseKind::postgresql, "ssl", Form::word, {"off", "prefer", "require", "verify"}},
        {DatabaseKind::postgresql, "ssl_ca", Form::text},
        {DatabaseKind::postgresql, "application_name", Form::text},
        {DatabaseKind::postgresql, "notify", Form::word, {"on", "off"}},
        {DatabaseKind::postgresql,
         "synchronous_commit",
         Form::word,
         {"on", "remote_apply", "remote_write", "local", "off"}},
    };
    return options;
}

/// `a, b and c`, with the given last joint.
std::string listed(std::vector<std::string_view> names, std::string_view joint) {
    const std::string_view last = names.back();
    names.pop_back();
    return names.empty() ? std::string(last)
                         : fmt::format("{} {} {}", fmt::join(names, ", "), joint, last);
}

std::string options_of(DatabaseKind kind) {
    std::vector<std::string_view> keys;
    for (const Option& option : known_options()) {
        if (option.kind == kind) {
            keys.push_back(option.key);
        }
    }
    return keys.empty()
               ? fmt::format("{} URLs have no options", name_of(kind))
               : fmt::format("the options of {} are {}", name_of(kind), listed(keys, "and"));
}

std::optional<std::string> duration_error(std::string_view key, std::string_view value) {
    const auto duration = schema::parse_duration(value);
    if (!duration) {
        return fmt::format("{}: {}", key, duration.error().message);
    }
    if (duration.value().count() > std::numeric_limits<std::int32_t>::max()) {
        return fmt::format("{} is longer than 24 days", key);
    }
    return std::nullopt;
}

std::optional<std::string> value_error(const Option& option, std::string_view value) {
    switch (option.form) {
        case Form::duration:
            return duration_error(option.key, value);
        case Form::word:
            if (std::ranges::find(option.words, value) == option.words.end()) {
                return fmt::format("{} must be {}", option.key, listed(option.words, "or"));
            }
            return std::nullopt;
        case Form::text:
            return value.empty() ? std::optional(fmt::format("{} is empty", option.key))
                                 : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

std::optional<std::string>
url_option_error(DatabaseKind kind, std::string_view key, std::string_view value) {
    const auto option = std::ranges::find_if(known_options(), [&](const Option& known) {
        return known.kind == kind && known.key == key;
    });
    return option == known_options().end() ? options_of(kind) : value_error(*option, value);
}

std::string_view
option_text(const DatabaseUrl& url, std::string_view key, std::string_view otherwise) {
    const auto found = url.options.find(key);
    return found == url.options.end() ? otherwise : std::string_view(found->second);
}

schema::Duration
option_duration(const DatabaseUrl& url, std::string_view key, schema::Duration otherwise) {
    const auto found = url.options.find(key);
    return found == url.options.end() ? otherwise : schema::parse_duration(found->second).value();
}

}  // namespace jobstrand::persistence
