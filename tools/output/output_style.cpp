#include "tools/output/output_style.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

namespace jobstrand::cli {

namespace {

constexpr std::array<std::pair<std::string_view, Tone>, 7> kWords{{
    {"dead", Tone::bad},
    {"not found", Tone::bad},
    {"paused", Tone::warning},
    {"refused", Tone::bad},
    {"running", Tone::good},
    {"skipped", Tone::quiet},
    {"suspended", Tone::warning},
}};

constexpr std::size_t kGroup = 3;

/// In the order of the tones.
constexpr std::array<std::string_view, 6> kCodes{"", "1", "2", "32", "33", "31"};

[[nodiscard]] bool is_digits(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) { return c >= '0' && c <= '9'; });
}

}  // namespace

std::string in_tone(Tone tone, std::string_view text, const OutputStyle& style) {
    const std::string_view code = kCodes.at(static_cast<std::size_t>(tone));
    if (!style.is_coloured || code.empty() || text.empty()) {
        return std::string(text);
    }
    return fmt::format("\x1b[{}m{}\x1b[0m", code, text);
}

std::string message_start(bool is_coloured) {
    return in_tone(Tone::bad, "jobstrand:", {.is_coloured = is_coloured}) + ' ';
}

Tone tone_of_word(std::string_view word) {
    const auto* const found = std::ranges::find(kWords, word, &decltype(kWords)::value_type::first);
    return found == kWords.end() ? Tone::plain : found->second;
}

std::string grouped(std::string_view number) {
    const std::string_view sign = number.starts_with('-') ? "-" : "";
    std::string digits(number.substr(sign.size()));
    if (!is_digits(digits)) {
        return std::string(number);
    }
    for (std::size_t at = digits.size(); at > kGroup;) {
        at -= kGroup;
        digits.insert(at, 1, ',');
    }
    return digits.insert(0, sign);
}

namespace {

constexpr std::size_t kLeastColumns = 80;
constexpr std::size_t kMostColumns = 120;

class HelpWriter final {
public:
    explicit HelpWriter(std::size_t columns) : columns_(columns) {}

    void add(const std::string& line) {
        is_example_ = !line.empty() && (is_example_ || line == "Examples:");
        const bool is_sentence = !line.empty() && line.front() != ' ' && !line.ends_with(':') &&
                                 !line.starts_with("Usage: ");
        if (is_sentence && !is_example_) {
            paragraph_ += (paragraph_.empty() ? "" : " ") + line;
            return;
        }
        end_paragraph();
        const std::size_t description = is_example_ ? std::string::npos : description_in(line);
        if (description == std::string::npos) {
            out_ += line + '\n';
        } else {
            fill(line.substr(0, description), line.substr(description));
        }
    }

    [[nodiscard]] std::string take() {
        end_paragraph();
        return std::move(out_);
    }

private:
    /// Behind `  --option TEXT   ` or `Usage: `; npos: the line stays as it is.
    [[nodiscard]] static std::size_t description_in(const std::string& line) {
        if (line.starts_with("Usage: ")) {
            return line.find(' ') + 1;
        }
        const std::size_t name = line.find_first_not_of(' ');
        const std::size_t gap = line.find("  ", name);
        return name == 0 || gap == std::string::npos ? name : line.find_first_not_of(' ', gap);
    }

    void end_paragraph() {
        if (!paragraph_.empty()) {
            fill("", std::exchange(paragraph_, {}));
        }
    }

    /// Words behind a beginning; further lines begin below the first word.
    void fill(const std::string& beginning, const std::string& text) {
        std::string line = beginning;
        bool is_first = true;
        std::istringstream words(text);
        for (std::string word; words >> word; is_first = false) {
            if (!is_first && line.size() + 1 + word.size() > columns_) {
                out_ += line + '\n';
                line = std::string(beginning.size(), ' ');
                is_first = true;
            }
            line += (is_first ? "" : " ") + word;
        }
        out_ += line + '\n';
    }

    const std::size_t columns_;
    std::string paragraph_;
    std::string out_;
    bool is_example_ = false;
};

}  // namespace

std::string wrapped_help(std::string_view help, std::size_t columns) {
    HelpWriter writer(std::clamp(columns, kLeastColumns, kMostColumns));
    std::istringstream lines{std::string(help)};
    for (std::string line; std::getline(lines, line);) {
        writer.add(line);
    }
    return writer.take();
}

}  // namespace jobstrand::cli
