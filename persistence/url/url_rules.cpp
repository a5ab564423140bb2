#include "persistence/url/url_rules.hpp"

#include "persistence/url/listed.hpp"
#include "schema/text/iso8601.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <vector>

namespace jobstrand::persistence {

namespace {

std::string options_of(const UrlRules& rules) {
    std::vector<std::string> keys;
    for (const UrlOption& option : rules.options) {
        keys.emplace_back(option.key);
    }
    return keys.empty()
               ? fmt::format("{} URLs have no options", rules.scheme)
               : fmt::format("the options of {} are {}", rules.scheme, listed(keys, "and"));
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

std::optional<std::string> value_error(const UrlOption& option, std::string_view value) {
    switch (option.form) {
        case UrlOption::Form::duration:
            return duration_error(option.key, value);
        case UrlOption::Form::word:
            if (std::ranges::find(option.words, value) == option.words.end()) {
                return fmt::format(
                    "{} must be {}",
                    option.key,
                    listed({option.words.begin(), option.words.end()}, "or")
                );
            }
            return std::nullopt;
        case UrlOption::Form::text:
            return value.empty() ? std::optional(fmt::format("{} is empty", option.key))
                                 : std::nullopt;
    }
    return std::nullopt;
}

}  // namespace

const UrlOption* find_url_option(const UrlRules& rules, std::string_view key) {
    const auto found = std::ranges::find_if(rules.options, [key](const UrlOption& option) {
        return option.key == key || (!option.also.empty() && option.also == key);
    });
    return found == rules.options.end() ? nullptr : &*found;
}

std::optional<std::string>
url_option_error(const UrlRules& rules, std::string_view key, std::string_view value) {
    const UrlOption* const option = find_url_option(rules, key);
    return option == nullptr ? options_of(rules) : value_error(*option, value);
}

}  // namespace jobstrand::persistence
