#include "tools/access/token_words.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/text/percent.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

namespace jobstrand::service {

namespace {

constexpr std::string_view kExpires = "expires";
constexpr std::string_view kEncodedAnyEnd = "%2A";

constexpr std::array kLists{
    std::pair{std::string_view("topics"), &Scope::topics},
    std::pair{std::string_view("tenants"), &Scope::tenants},
    std::pair{std::string_view("engines"), &Scope::engines},
};

[[nodiscard]] std::string encoded(const std::string& name) {
    std::string text = percent_encoded(name);
    if (text.ends_with(kEncodedAnyEnd)) {
        text.replace(text.size() - kEncodedAnyEnd.size(), kEncodedAnyEnd.size(), 1, kAnyEnd);
    }
    return text;
}

[[nodiscard]] bool read_list(std::string_view text, std::vector<std::string>& list) {
    const bool is_first = list.empty();
    while (true) {
        const std::size_t comma = text.find(',');
        auto name = percent_decoded(text.substr(0, comma));
        if (!name || name->empty()) {
            return false;
        }
        list.push_back(std::move(*name));
        if (comma == std::string_view::npos) {
            return is_first;
        }
        text.remove_prefix(comma + 1);
    }
}

}  // namespace

std::string words_of(const TokenEntry& token) {
    std::string words;
    for (const auto& [key, member] : kLists) {
        const std::vector<std::string>& names = token.scope.*member;
        for (std::size_t i = 0; i < names.size(); ++i) {
            words += i == 0 ? fmt::format(" {}=", key) : ",";
            words += encoded(names[i]);
        }
    }
    if (token.expires) {
        words += fmt::format(" {}={}", kExpires, schema::format_instant(*token.expires));
    }
    return words;
}

bool read_word(std::string_view word, TokenEntry& token) {
    const std::size_t equals = std::min(word.find('='), word.size());
    const std::string_view key = word.substr(0, equals);
    const std::string_view value = word.substr(std::min(equals + 1, word.size()));
    for (const auto& [name, member] : kLists) {
        if (key == name) {
            return read_list(value, token.scope.*member) &&
                   problem_of_topics(token.scope.topics).empty();
        }
    }
    const auto time = schema::parse_instant(value);
    if (key != kExpires || token.expires || !time) {
        return false;
    }
    token.expires = time.value();
    return true;
}

std::string problem_of_topics(const std::vector<std::string>& topics) {
    for (const std::string_view topic : topics) {
        const std::size_t star = topic.find(kAnyEnd);
        if (star == 0 || star < topic.size() - 1) {
            return "a topic may have a * at its end only, behind the beginning that is meant";
        }
    }
    return {};
}

}  // namespace jobstrand::service
