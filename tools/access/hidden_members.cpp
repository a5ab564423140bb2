#include "tools/access/hidden_members.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <cstddef>
#include <utility>
#include <vector>

namespace jobstrand::service {

namespace {

constexpr std::string_view kHidden = R"("***")";
constexpr std::string_view kAll = "*";

[[nodiscard]] bool are_all(std::span<const std::string> names) {
    return std::ranges::find(names, kAll) != names.end();
}

[[nodiscard]] bool is_blank(char c) {
    return c == ' ' || c == '\n' || c == '\r' || c == '\t';
}

[[nodiscard]] std::string lowered(std::string text) {
    std::ranges::transform(text, text.begin(), [](unsigned char c) {
        return static_cast<char>(c < 0x80 ? std::tolower(c) : c);
    });
    return text;
}

/// Goes through a text that is known to be JSON.
class MemberScan final {
public:
    MemberScan(std::span<const std::string> names, std::string_view json) : json_(json) {
        for (const std::string& name : names) {
            names_.push_back(lowered(name));
        }
    }

    [[nodiscard]] std::string run() {
        while (at_ < json_.size()) {
            if (json_[at_] != '"') {
                out_ += json_[at_++];
                continue;
            }
            const std::string_view text = take_string();
            out_ += text;
            if (take_colon() && is_hidden(text)) {
                skip_value();
                out_ += kHidden;
            }
        }
        return std::move(out_);
    }

private:
    /// With its quotes.
    [[nodiscard]] std::string_view take_string() {
        const std::size_t begin = at_++;
        while (json_[at_] != '"') {
            at_ += json_[at_] == '\\' ? 2U : 1U;
        }
        return json_.substr(begin, ++at_ - begin);
    }

    /// Whether the string before was the name of a member. What stands there is written.
    [[nodiscard]] bool take_colon() {
        std::size_t colon = at_;
        while (colon < json_.size() && is_blank(json_[colon])) {
            ++colon;
        }
        if (colon == json_.size() || json_[colon] != ':') {
            return false;
        }
        const std::size_t begin = at_;
        at_ = colon + 1;
        while (is_blank(json_[at_])) {
            ++at_;
        }
        out_ += json_.substr(begin, at_ - begin);
        return true;
    }

    [[nodiscard]] bool is_hidden(std::string_view quoted) const {
        const auto name = nlohmann::json::parse(quoted).get<std::string>();
        return std::ranges::find(names_, lowered(name)) != names_.end();
    }

    void skip_value() {
        std::size_t depth = 0;
        do {
            const char c = json_[at_];
            if (c == '"') {
                (void)take_string();
                continue;
            }
            if (c == '{' || c == '[') {
                ++depth;
            } else if (c == '}' || c == ']') {
                --depth;
            }
            ++at_;
        } while (at_ < json_.size() && (depth > 0 || !ends_value(json_[at_])));
    }

    [[nodiscard]] static bool ends_value(char c) {
        return c == ',' || c == '}' || c == ']' || is_blank(c);
    }

    const std::string_view json_;
    std::vector<std::string> names_;
    std::size_t at_ = 0;
    std::string out_;
};

}  // namespace

bool is_hidden_path(std::span<const std::string> names, std::span<const std::string> path) {
    return are_all(names) || std::ranges::any_of(path, [&](const std::string& member) {
               return std::ranges::any_of(names, [&](const std::string& name) {
                   return lowered(name) == lowered(member);
               });
           });
}

std::string without_values_of(std::span<const std::string> names, std::string_view json) {
    if (are_all(names)) {
        return std::string(json.empty() ? json : kHidden);
    }
    if (names.empty() || !nlohmann::json::accept(json)) {
        return std::string(json);
    }
    return MemberScan(names, json).run();
}

}  // namespace jobstrand::service
