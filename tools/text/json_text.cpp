#include "tools/text/json_text.hpp"

#include "tools/text/json_values.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace jobstrand::cli {

namespace {

using nlohmann::json;
using schema::ParseError;
using schema::ParseResult;

[[nodiscard]] bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

[[nodiscard]] std::string_view trimmed(std::string_view text) {
    while (!text.empty() && is_blank(text.front())) {
        text.remove_prefix(1);
    }
    while (!text.empty() && is_blank(text.back())) {
        text.remove_suffix(1);
    }
    return text;
}

/// Walks through text that is known to be JSON, so it may rely on every quote and bracket.
class Walk {
public:
    explicit Walk(std::string_view text) : text_(text) {}

    void skip_blanks() {
        while (position_ < text_.size() && is_blank(text_[position_])) {
            ++position_;
        }
    }

    [[nodiscard]] char next() const { return text_[position_]; }
    void step() { ++position_; }

    /// A whole string, quotes included.
    std::string_view take_string() {
        const std::size_t start = position_;
        do {
            position_ += text_[position_] == '\\' ? 2U : 1U;
        } while (text_[position_] != '"');
        ++position_;
        return text_.substr(start, position_ - start);
    }

    /// Any value, up to the comma or bracket that ends it. Counts brackets instead of descending,
    /// so that no depth of nesting can exhaust the stack.
    std::string_view take_value() {
        const std::size_t start = position_;
        for (std::size_t depth = 0; position_ < text_.size();) {
            const char c = text_[position_];
            if (c == '"') {
                take_string();
                continue;
            }
            if (depth == 0 && (c == ',' || c == '}' || c == ']')) {
                break;
            }
            if (c == '{' || c == '[') {
                ++depth;
            } else if (c == '}' || c == ']') {
                --depth;
            }
            ++position_;
        }
        return trimmed(text_.substr(start, position_ - start));
    }

private:
    std::string_view text_;
    std::size_t position_ = 0;
};

}  // namespace

std::string json_string(std::string_view text) {
    if (std::ranges::all_of(text, stands_for_itself)) {
        return fmt::format("\"{}\"", text);
    }
    return escaped_for_json(json(text).dump(-1, ' ', false, json::error_handler_t::replace));
}

std::string on_one_line(std::string_view text) {
    std::string line(trimmed(text));
    // Inside a string a line break is always written as an escape, so these are between values.
    std::replace(line.begin(), line.end(), '\n', ' ');
    std::replace(line.begin(), line.end(), '\r', ' ');
    return line;
}

ParseResult<std::vector<JsonMember>> members_of(std::string_view text, std::size_t most) {
    if (std::string problem = problem_of_json(text); !problem.empty()) {
        return ParseError{std::move(problem)};
    }
    return members_of_value(text, most);
}

ParseResult<std::vector<JsonMember>> members_of_value(std::string_view text, std::size_t most) {
    Walk walk(text);
    walk.skip_blanks();
    if (walk.next() != '{') {
        return ParseError{"must be a JSON object"};
    }
    std::vector<JsonMember> members;
    std::set<std::string> names;
    walk.step();
    walk.skip_blanks();
    while (walk.next() != '}') {
        std::string name = string_of(walk.take_string()).value();
        walk.skip_blanks();
        walk.step();  // The colon.
        walk.skip_blanks();
        const std::string_view value = walk.take_value();
        if (members.size() == most) {
            return ParseError{fmt::format("has more than {} members", most)};
        }
        if (!names.insert(name).second) {
            return ParseError{fmt::format("{} is given twice", printable(name))};
        }
        members.push_back({std::move(name), value});
        if (walk.next() == ',') {
            walk.step();
        }
        walk.skip_blanks();
    }
    return members;
}

ParseResult<std::vector<std::string_view>> items_of(std::string_view text, std::size_t most) {
    if (std::string problem = problem_of_json(text); !problem.empty()) {
        return ParseError{std::move(problem)};
    }
    return items_of_value(text, most);
}

ParseResult<std::vector<std::string_view>> items_of_value(std::string_view text, std::size_t most) {
    Walk walk(text);
    walk.skip_blanks();
    if (walk.next() != '[') {
        return ParseError{"must be a JSON array"};
    }
    walk.step();
    walk.skip_blanks();
    std::vector<std::string_view> items;
    while (walk.next() != ']' && items.size() <= most) {
        items.push_back(walk.take_value());
        if (walk.next() == ',') {
            walk.step();
        }
        walk.skip_blanks();
    }
    return items;
}

}  // namespace jobstrand::cli
