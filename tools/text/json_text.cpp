#include "tools/text/json_text.hpp"

#include "schema/limits.hpp"
#include "schema/text/time_text.hpp"
#include "schema/text/utf8.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <charconv>
#include <cstddef>
#include <set>
#include <string>
#include <system_error>
#include <utility>

namespace jobstrand::cli {

using nlohmann::json;
using schema::ParseError;
using schema::ParseResult;

namespace {

/// What the parser meets, one by one, in place of a document in memory, which takes many times the
/// room of its text. Each answers whether to go on. A class behind it overrides what it looks for;
/// to all else the answer is the constructor's.
class JsonEvents : public json::json_sax_t {
public:
    explicit JsonEvents(bool goes_on) : goes_on_(goes_on) {}

    bool null() override { return goes_on_; }
    bool boolean(bool) override { return goes_on_; }
    bool number_integer(number_integer_t) override { return goes_on_; }
    bool number_unsigned(number_unsigned_t) override { return goes_on_; }
    bool number_float(number_float_t, const string_t&) override { return goes_on_; }
    bool string(string_t&) override { return goes_on_; }
    bool binary(binary_t&) override { return false; }  // Not in texts.
    bool start_object(std::size_t) override { return goes_on_; }
    bool key(string_t&) override { return goes_on_; }
    bool end_object() override { return goes_on_; }
    bool start_array(std::size_t) override { return goes_on_; }
    bool end_array() override { return goes_on_; }
    bool parse_error(std::size_t, const std::string&, const json::exception&) override {
        return false;
    }

private:
    const bool goes_on_;
};

/// The parser repeats what it read last, which may be all of a long text.
constexpr std::size_t kSentenceWidth = 200;

/// The parser's own sentence without its library's prefix.
[[nodiscard]] std::string sentence_of(const json::exception& error) {
    const std::string_view text = error.what();
    const std::size_t end = text.find("] ");
    const std::string_view sentence = end == std::string_view::npos ? text : text.substr(end + 2);
    return cut_to_width(printable(sentence), kSentenceWidth);
}

/// Looks whether a text is JSON, and not nested beyond kJsonDepth.
class Inspection final : public JsonEvents {
public:
    Inspection() : JsonEvents(true) {}

    /// Empty: nothing is wrong.
    [[nodiscard]] const std::string& problem() const { return problem_; }

    bool start_object(std::size_t) override { return go_deeper(); }
    bool start_array(std::size_t) override { return go_deeper(); }
    bool end_object() override { return come_back(); }
    bool end_array() override { return come_back(); }
    bool parse_error(std::size_t, const std::string&, const json::exception& error) override {
        problem_ = sentence_of(error);
        return false;
    }

private:
    bool go_deeper() {
        if (++depth_ <= schema::limits::kJsonDepth) {
            return true;
        }
        problem_ = fmt::format(
            "arrays and objects lie in each other more than {} deep", schema::limits::kJsonDepth
        );
        return false;
    }

    bool come_back() {
        --depth_;
        return true;
    }

    std::size_t depth_ = 0;
    std::string problem_;
};

/// Takes a text that is one string.
class OneString final : public JsonEvents {
public:
    OneString() : JsonEvents(false) {}

    bool string(string_t& text) override {
        value = std::move(text);
        return true;
    }

    std::string value;
};

/// Takes a text that is a list of strings.
class ListOfStrings final : public JsonEvents {
public:
    explicit ListOfStrings(std::size_t most) : JsonEvents(false), most_(most) {}

    /// The text was left before its end.
    [[nodiscard]] bool has_too_many() const { return values.size() > most_; }

    bool start_array(std::size_t) override { return !std::exchange(is_inside_, true); }
    bool end_array() override { return true; }
    bool string(string_t& text) override {
        values.push_back(std::move(text));
        return is_inside_ && !has_too_many();
    }

    std::vector<std::string> values;

private:
    const std::size_t most_;
    bool is_inside_ = false;
};

}  // namespace

std::string problem_of_json(std::string_view text) {
    if (schema::begins_as_utf16(text)) {
        return "this is UTF-16: save it as UTF-8";
    }
    // The parser takes NUL for the end of the text and skips a byte order mark; neither is JSON.
    if (text.find('\0') != std::string_view::npos || text.starts_with("\xEF\xBB\xBF")) {
        return "NUL and byte order marks do not belong into JSON";
    }
    Inspection inspection;
    (void)json::sax_parse(text, &inspection);
    return inspection.problem();
}

ParseResult<std::string> string_of(std::string_view text) {
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"') {
        const std::string_view inside = text.substr(1, text.size() - 2);
        if (std::ranges::all_of(inside, stands_for_itself)) {
            return std::string(inside);
        }
    }
    OneString one;
    if (!json::sax_parse(text, &one)) {
        return ParseError{"must be a string"};
    }
    return std::move(one.value);
}

ParseResult<std::vector<std::string>> strings_of(std::string_view text, std::size_t most) {
    ListOfStrings list(most);
    if (!json::sax_parse(text, &list) && !list.has_too_many()) {
        return ParseError{"must be a list of strings"};
    }
    return std::move(list.values);
}

namespace {

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

namespace {

template <typename Value>
[[nodiscard]] std::string read_parsed(
    std::string_view value,
    schema::ParseResult<Value> (*parse)(std::string_view),
    std::optional<Value>& result
) {
    const auto text = string_of(value);
    if (!text) {
        return text.error().message;
    }
    const auto parsed = parse(text.value());
    if (!parsed) {
        return parsed.error().message;
    }
    result = parsed.value();
    return {};
}

}  // namespace

std::string read_text(std::string_view value, std::string& text) {
    const auto read = string_of(value);
    if (!read) {
        return read.error().message;
    }
    text = read.value();
    return {};
}

std::string read_flag(std::string_view value, bool& flag) {
    if (value != "true" && value != "false") {
        return "must be true or false";
    }
    flag = value == "true";
    return {};
}

std::string read_whole_number(
    std::string_view value,
    std::int64_t least,
    std::int64_t most,
    std::int64_t& number
) {
    std::int64_t read = 0;
    const char* const end = value.data() + value.size();
    const auto [stop, error] = std::from_chars(value.data(), end, read);
    if (error != std::errc{} || stop != end || read < least || read > most) {
        return fmt::format("must be a whole number, {} to {}", least, most);
    }
    number = read;
    return {};
}

std::string read_instant(std::string_view value, std::optional<schema::TimePoint>& instant) {
    return read_parsed(value, schema::parse_instant, instant);
}

std::string read_duration(std::string_view value, std::optional<schema::Duration>& duration) {
    return read_parsed(value, schema::parse_duration, duration);
}

}  // namespace jobstrand::cli
