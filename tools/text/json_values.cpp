#include "tools/text/json_values.hpp"

#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

namespace jobstrand::cli {

namespace {

using nlohmann::json;
using schema::ParseError;
using schema::ParseResult;

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

}  // namespace jobstrand::cli
