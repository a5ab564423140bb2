#include "schema/expression/json_lookup.hpp"

#include <charconv>
#include <stdexcept>

namespace jobstrand::schema {

namespace {

[[noreturn]] void refuse() {
    throw std::invalid_argument("the payload is not JSON");
}

/// Reads a JSON text from the left.
class JsonReader {
public:
    explicit JsonReader(std::string_view text) : text_(text) {}

    /// The next character that is not blank, which stays; NUL: the end.
    [[nodiscard]] char peek() {
        while (at_ < text_.size() && is_blank(text_[at_])) {
            ++at_;
        }
        return at_ < text_.size() ? text_[at_] : '\0';
    }

    void take(char wanted) {
        if (peek() != wanted) {
            refuse();
        }
        ++at_;
    }

    /// The text between quotes, unescaped.
    [[nodiscard]] std::string string() {
        take('"');
        std::string text;
        while (true) {
            const char next = next_character();
            if (next == '"') {
                return text;
            }
            if (next == '\\') {
                append_escaped(text);
            } else {
                text += next;
            }
        }
    }

    /// Characters up to the end of a number or a word.
    [[nodiscard]] std::string_view word() {
        (void)peek();
        const std::size_t begin = at_;
        while (at_ < text_.size() && !ends_word(text_[at_])) {
            ++at_;
        }
        return text_.substr(begin, at_ - begin);
    }

    /// Goes behind the next value.
    void skip_value() {
        std::size_t depth = 0;
        do {
            const char next = peek();
            if (next == '"') {
                skip_string();
            } else if (next == '{' || next == '[') {
                ++depth;
                ++at_;
            } else if ((next == '}' || next == ']') && depth > 0) {
                --depth;
                ++at_;
            } else if ((next == ',' || next == ':') && depth > 0) {
                ++at_;
            } else if (word().empty()) {
                refuse();
            }
        } while (depth > 0);
    }

private:
    [[nodiscard]] static bool is_blank(char c) {
        return c == ' ' || c == '\t' || c == '\n' || c == '\r';
    }

    [[nodiscard]] static bool ends_word(char c) {
        return is_blank(c) || c == ',' || c == ':' || c == ']' || c == '}' || c == '[' ||
               c == '{' || c == '"';
    }

    [[nodiscard]] char next_character() {
        if (at_ == text_.size()) {
            refuse();
        }
        return text_[at_++];
    }

    void skip_string() {
        take('"');
        for (char next = next_character(); next != '"'; next = next_character()) {
            if (next == '\\') {
                (void)next_character();
            }
        }
    }

    [[nodiscard]] unsigned hex4() {
        if (text_.size() - at_ < 4) {
            refuse();
        }
        unsigned code = 0;
        const char* const begin = text_.data() + at_;
        const auto [end, error] = std::from_chars(begin, begin + 4, code, 16);
        if (error != std::errc() || end != begin + 4) {
            refuse();
        }
        at_ += 4;
        return code;
    }

    /// A code point that may be written as two halves.
    [[nodiscard]] unsigned code_point() {
        constexpr unsigned kLow = 0xdc00;
        const unsigned first = hex4();
        if (first < 0xd800 || first > 0xdfff) {
            return first;
        }
        if (first >= kLow || text_.substr(at_, 2) != "\\u") {
            refuse();
        }
        at_ += 2;
        const unsigned second = hex4();
        if (second < kLow || second > 0xdfff) {
            refuse();
        }
        return 0x10000 + ((first - 0xd800) << 10U) + (second - kLow);
    }

    static void append_utf8(std::string& text, unsigned code) {
        const auto follow = [&](unsigned shift) {
            text += static_cast<char>(0x80U | ((code >> shift) & 0x3fU));
        };
        if (code < 0x80) {
            text += static_cast<char>(code);
        } else if (code < 0x800) {
            text += static_cast<char>(0xc0U | (code >> 6U));
            follow(0);
        } else if (code < 0x10000) {
            text += static_cast<char>(0xe0U | (code >> 12U));
            follow(6);
            follow(0);
        } else {
            text += static_cast<char>(0xf0U | (code >> 18U));
            follow(12);
            follow(6);
            follow(0);
        }
    }

    void append_escaped(std::string& text) {
        const char escaped = next_character();
        constexpr std::string_view kLetters = "bfnrt\"\\/";
        constexpr std::string_view kMeant = "\b\f\n\r\t\"\\/";
        if (escaped == 'u') {
            append_utf8(text, code_point());
        } else if (const auto which = kLetters.find(escaped); which != std::string_view::npos) {
            text += kMeant[which];
        } else {
            refuse();
        }
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

/// Goes to the value of a member; false: there is none.
bool enter_member(JsonReader& reader, std::string_view name) {
    reader.take('{');
    while (reader.peek() != '}') {
        const bool is_it = reader.string() == name;
        reader.take(':');
        if (is_it) {
            return true;
        }
        reader.skip_value();
        if (reader.peek() != '}') {
            reader.take(',');
        }
    }
    return false;
}

/// Goes to an item of a list; false: there is none.
bool enter_item(JsonReader& reader, std::string_view number) {
    std::size_t left = 0;
    const char* const end = number.data() + number.size();
    const auto [stop, error] = std::from_chars(number.data(), end, left);
    if (error != std::errc() || stop != end) {
        return false;
    }
    reader.take('[');
    while (reader.peek() != ']') {
        if (left == 0) {
            return true;
        }
        --left;
        reader.skip_value();
        if (reader.peek() != ']') {
            reader.take(',');
        }
    }
    return false;
}

ExpressionValue json_number(std::string_view word) {
    const char* const end = word.data() + word.size();
    std::int64_t whole = 0;
    if (const auto [stop, error] = std::from_chars(word.data(), end, whole);
        error == std::errc() && stop == end) {
        return whole;
    }
    double real = 0;
    const auto [stop, error] = std::from_chars(word.data(), end, real);
    if (error != std::errc() || stop != end) {
        refuse();
    }
    return real;
}

ExpressionValue value_at(JsonReader& reader) {
    switch (reader.peek()) {
        case '"':
            return reader.string();
        case '{':
            reader.take('{');
            return Composite{.is_empty = reader.peek() == '}'};
        case '[':
            reader.take('[');
            return Composite{.is_empty = reader.peek() == ']'};
        default:
            break;
    }
    const std::string_view word = reader.word();
    if (word == "true" || word == "false") {
        return word == "true";
    }
    return word == "null" ? ExpressionValue() : json_number(word);
}

}  // namespace

std::optional<ExpressionValue> find_in_json(std::string_view json, JsonPath path) {
    JsonReader reader(json);
    for (const std::string& step : path) {
        const char next = reader.peek();
        const bool is_there = next == '{'   ? enter_member(reader, step)
                              : next == '[' ? enter_item(reader, step)
                                            : false;
        if (!is_there) {
            return std::nullopt;
        }
    }
    return value_at(reader);
}

}  // namespace jobstrand::schema
