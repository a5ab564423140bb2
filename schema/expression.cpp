#include "schema/expression.hpp"

#include "schema/expression_evaluation.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::schema {

namespace {

/// A name in an object, or the number of an item of a list, as text.
using JsonPath = std::span<const std::string>;

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

/// What stands in a JSON text at a path. nullopt: a name or an item on the way is not there. Of two
/// members with one name the first counts.
///
/// The text is read once from the left, without recursion and without a copy of it. What is behind
/// the value is not looked at. Throws std::invalid_argument where what it reads is not JSON.
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

/// Bytes that the values of expressions may make of a text.
constexpr std::size_t kMostResult = 4000;

/// Members of `execution`.
constexpr std::array<std::pair<std::string_view, std::string Job::*>, 8> kExecution{{
    {"id", &Job::execution_id},
    {"processInstanceId", &Job::process_instance_id},
    {"rootProcessInstanceId", &Job::root_process_instance_id},
    {"processDefinitionId", &Job::process_definition_id},
    {"currentActivityId", &Job::element_id},
    {"currentActivityName", &Job::element_name},
    {"tenantId", &Job::tenant_id},
    {"handlerType", &Job::handler_type},
}};

std::optional<ExpressionValue>
find_in_execution(const Job& job, std::span<const std::string> path) {
    if (path.size() == 1) {
        return Composite{};
    }
    for (const auto& [name, member] : kExecution) {
        if (path.size() == 2 && path[1] == name) {
            const std::string& value = job.*member;
            return value.empty() ? ExpressionValue() : ExpressionValue(value);
        }
    }
    return std::nullopt;
}

std::optional<ExpressionValue> find_in_job(const Job& job, const std::vector<std::string>& path) {
    if (path.front() == "execution") {
        return find_in_execution(job, path);
    }
    if (job.payload.size() > kMostExpressionPayload) {
        throw std::invalid_argument("the payload is larger than what expressions look into");
    }
    if (job.payload.empty()) {
        return std::nullopt;
    }
    return find_in_json(job.payload, path);
}

/// One that reads, and with a job evaluates.
class Reading {
public:
    explicit Reading(const Job* job) {
        if (job != nullptr) {
            find_ = [job](const std::vector<std::string>& path) { return find_in_job(*job, path); };
        }
    }

    /// Of the expression at this position, which is set behind it. Throws ExpressionMistake.
    [[nodiscard]] ExpressionValue value_at(std::string_view text, std::size_t& position) const {
        Evaluation evaluation(text, position + 2, find_ ? &find_ : nullptr);
        ExpressionValue value = evaluation.run();
        position = evaluation.end();
        return value;
    }

    /// The text with their values. Throws ExpressionMistake.
    [[nodiscard]] std::string text_with_values(std::string_view text) const {
        if (text.size() > kMostExpressionBytes) {
            throw ExpressionMistake{
                "it has more than " + std::to_string(kMostExpressionBytes) + " bytes",
                kMostExpressionBytes};
        }
        std::string result;
        std::size_t position = 0;
        while (position < text.size()) {
            const std::size_t begin = std::min(text.find("${", position), text.size());
            result += text.substr(position, begin - position);
            position = begin;
            if (begin < text.size()) {
                append(result, value_at(text, position), begin);
            }
        }
        return result;
    }

private:
    void append(std::string& result, const ExpressionValue& value, std::size_t position) const {
        if (!find_) {
            return;
        }
        try {
            result += schema::text_of(value);
        } catch (const std::invalid_argument& mistake) {
            throw ExpressionMistake{mistake.what(), position};
        }
        if (result.size() > kMostResult) {
            throw ExpressionMistake{
                "it comes to more than " + std::to_string(kMostResult) + " bytes", position};
        }
    }

    FindValue find_;
};

std::optional<std::int64_t> whole_number_in(const ExpressionValue& value) {
    if (const auto* const whole = std::get_if<std::int64_t>(&value)) {
        return *whole;
    }
    constexpr double kBeyond = 9'223'372'036'854'775'808.0;
    if (const auto* const real = std::get_if<double>(&value)) {
        const bool is_whole = *real == std::trunc(*real) && *real >= -kBeyond && *real < kBeyond;
        return is_whole ? std::optional(static_cast<std::int64_t>(*real)) : std::nullopt;
    }
    if (const auto* const text = std::get_if<std::string>(&value)) {
        std::int64_t number = 0;
        const char* const end = text->data() + text->size();
        const auto [stop, error] = std::from_chars(text->data(), end, number);
        return error == std::errc() && stop == end && !text->empty() ? std::optional(number)
                                                                     : std::nullopt;
    }
    return std::nullopt;
}

template <typename Value, typename Run>
ParseResult<Value> result_of(const Run& run) {
    try {
        return run();
    } catch (const ExpressionMistake& mistake) {
        return ParseError{.message = mistake.message, .position = mistake.position};
    }
}

}  // namespace

std::optional<ParseError> mistake_in_expressions(std::string_view text) {
    const auto read =
        result_of<std::string>([&] { return Reading(nullptr).text_with_values(text); });
    return read ? std::nullopt : std::optional(read.error());
}

ParseResult<ExpressionValue> evaluate(std::string_view text, const Job& job) {
    return result_of<ExpressionValue>([&]() -> ParseResult<ExpressionValue> {
        if (!text.starts_with("${")) {
            return ParseError{.message = "expected ${", .position = 0};
        }
        if (text.size() > kMostExpressionBytes) {
            return ParseError{.message = "it is too long", .position = kMostExpressionBytes};
        }
        std::size_t position = 0;
        ExpressionValue value = Reading(&job).value_at(text, position);
        if (position != text.size()) {
            return ParseError{.message = "expected no more behind }", .position = position};
        }
        return value;
    });
}

ParseResult<std::string> evaluate_text(std::string_view text, const Job& job) {
    return result_of<std::string>([&] { return Reading(&job).text_with_values(text); });
}

ParseResult<std::int64_t> evaluate_number(std::string_view text, const Job& job) {
    const auto value = evaluate(text, job);
    if (!value) {
        return value.error();
    }
    if (const auto number = whole_number_in(value.value())) {
        return *number;
    }
    return ParseError{
        .message = "it comes to " + std::string(kind_of(value.value())) +
                   ", and must come to a whole number of 64 bits",
        .position = 0};
}

}  // namespace jobstrand::schema
