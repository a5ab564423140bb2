#include "schema/text/error_class.hpp"

#include <algorithm>
#include <array>

namespace jobstrand::schema {

namespace {

constexpr std::size_t kClassBytes = 120;
constexpr std::size_t kCodeLetters = 16;
constexpr std::size_t kCodeDigits = 6;
constexpr std::string_view kDigits = "0123456789";
constexpr std::string_view kCapitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kNameEnds = "_abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
constexpr std::string_view kNameJoints = ".:$";

[[nodiscard]] bool is_one_of(std::string_view characters, char c) {
    return characters.find(c) != std::string_view::npos;
}

[[nodiscard]] bool looks_like_name(std::string_view text) {
    if (text.empty() || text.size() > kClassBytes || !is_one_of(kNameEnds, text.front()) ||
        !is_one_of(kNameEnds, text.back())) {
        return false;
    }
    const bool is_of_name = std::ranges::all_of(text, [](char c) {
        return is_one_of(kNameEnds, c) || is_one_of(kDigits, c) || is_one_of(kNameJoints, c);
    });
    const std::string_view last = text.substr(text.find_last_of(kNameJoints) + 1);
    return is_of_name && (text.find_first_of(kDigits) == std::string_view::npos ||
                          is_one_of(kCapitals, last.front()));
}

[[nodiscard]] bool looks_like_code(std::string_view text) {
    const std::size_t letters = std::min(text.find_first_not_of(kCapitals), text.size());
    std::string_view digits = text.substr(letters);
    if (letters > 0 && !digits.empty() && is_one_of("-_ ", digits.front())) {
        digits.remove_prefix(1);
    }
    const bool has_digits =
        !digits.empty() && digits.find_first_not_of(kDigits) == std::string_view::npos;
    const bool is_length_right = letters > 0
                                     ? letters <= kCodeLetters && digits.size() <= kCodeDigits
                                     : digits.size() >= 3 && digits.size() < kCodeDigits;
    return has_digits && is_length_right;
}

/// How a handler of ours speaks of a failure: of whom, whose name is one word, and what happened.
struct OwnWords {
    std::string_view who;
    std::string_view what;
    std::string_view error_class;  ///< A number behind `what` belongs to it if it ends in a blank.
};

constexpr std::array<OwnWords, 6> kOwnWords{{
    {"command ", " failed with exit code ", "exit "},
    {"command ", " was ended by signal ", "signal "},
    {"command ", " was ended at its time limit of ", "timeout"},
    {"target ", " answered ", "HTTP "},
    {"target ", " gave no answer within ", "timeout"},
    {"target ", ": ", "no answer"},
}};

/// Empty: these are other words.
[[nodiscard]] std::string class_by(const OwnWords& words, std::string_view message) {
    if (!message.starts_with(words.who)) {
        return {};
    }
    message.remove_prefix(words.who.size());
    message.remove_prefix(std::min(message.find_first_of(" :"), message.size()));
    if (!message.starts_with(words.what)) {
        return {};
    }
    std::string error_class(words.error_class);
    if (!error_class.ends_with(' ')) {
        return error_class;
    }
    message.remove_prefix(words.what.size());
    const std::string_view number = message.substr(0, message.find_first_not_of(kDigits));
    return number.empty() || number.size() > kCodeDigits ? std::string()
                                                         : error_class.append(number);
}

}  // namespace

std::string error_class_of(std::string_view message) {
    const std::string_view first = message.substr(0, message.find(": "));
    if (looks_like_name(first) || looks_like_code(first)) {
        return std::string(first);
    }
    for (const OwnWords& words : kOwnWords) {
        if (std::string error_class = class_by(words, message); !error_class.empty()) {
            return error_class;
        }
    }
    return {};
}

}  // namespace jobstrand::schema
