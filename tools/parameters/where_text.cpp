#include "tools/parameters/where_text.hpp"

#include "schema/text/parsing.hpp"
#include "schema/text/utf8.hpp"
#include "timers/zone/spoken_time.hpp"
#include "tools/parameters/field_options.hpp"
#include "tools/text/terminal_text.hpp"
#include "tools/text/typing_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using persistence::FieldCondition;
using persistence::JobTerm;
using persistence::PayloadCondition;
using Kind = JobTerm::Kind;
using Match = FieldCondition::Match;

constexpr std::string_view kPayloadPrefix = "payload.";
constexpr std::string_view kException = "exception";

struct KeyAlias {
    std::string_view alias;
    std::string_view name;
};

constexpr std::array kKeyAliases{
    KeyAlias{"node", "lock-owner"},
    KeyAlias{"worker", "lock-owner"},
    KeyAlias{"owner", "lock-owner"},
    KeyAlias{"root", "root-instance"},
    KeyAlias{"correlation", "correlation-id"},
    KeyAlias{"unique", "unique-key"},
};

/// A field by which jobs can be asked for, and a name of it: that of its option without dashes.
struct KeyName {
    std::string_view name;
    const schema::JobField* field;
};

[[nodiscard]] std::vector<KeyName> key_names() {
    std::vector<KeyName> names;
    for (const TypedField& typed : fields_with(&schema::JobField::filter)) {
        std::string_view flags = typed.option->flags;
        while (!flags.empty()) {
            const std::size_t end = std::min(flags.find(','), flags.size());
            names.push_back({flags.substr(2, end - 2), typed.field});
            flags.remove_prefix(std::min(end + 1, flags.size()));
        }
    }
    names.push_back({"id", &schema::field_of(&schema::Job::id)});
    return names;
}

const std::vector<KeyName>& keys() {
    static const std::vector<KeyName> all = key_names();
    return all;
}

[[nodiscard]] const schema::JobField* field_named(std::string_view name) {
    const auto alias = std::ranges::find(kKeyAliases, name, &KeyAlias::alias);
    const std::string_view meant = alias == kKeyAliases.end() ? name : alias->name;
    const auto found = std::ranges::find(keys(), meant, &KeyName::name);
    return found == keys().end() ? nullptr : found->field;
}

/// Empty: none is near.
[[nodiscard]] std::string_view nearest_key(std::string_view misspelt) {
    std::vector<std::string_view> names{"is", "has", "payload.", "locked", kException};
    for (const KeyName& key : keys()) {
        names.push_back(key.name);
    }
    const std::string_view near = nearest_name(misspelt, names);
    const std::size_t most = std::max<std::size_t>(1, near.size() / 3);
    return edits_between(near, misspelt) <= most ? near : std::string_view();
}

[[nodiscard]] std::string no_such_key(std::string_view key) {
    const std::string_view near = nearest_key(key);
    return fmt::format("there is no key {}", printable(key)) +
           (near.empty() ? std::string(".") : fmt::format("; did you mean {}?", near));
}

[[nodiscard]] JobTerm term_of(FieldCondition condition) {
    return {.kind = Kind::field, .parts = {}, .leaf = std::move(condition)};
}

[[nodiscard]] JobTerm not_term(JobTerm term) {
    if (term.kind == Kind::negated) {
        JobTerm inner = std::move(term.parts.front());
        return inner;
    }
    JobTerm negated{.kind = Kind::negated, .parts = {}, .leaf = {}};
    negated.parts.push_back(std::move(term));
    return negated;
}

[[nodiscard]] bool is_payload(std::string_view key) {
    return key.starts_with(kPayloadPrefix);
}

[[nodiscard]] bool is_time(const schema::JobField& field) {
    return std::holds_alternative<std::optional<schema::TimePoint> schema::Job::*>(field.member);
}

[[nodiscard]] bool is_text(const schema::JobField& field) {
    return std::holds_alternative<std::string schema::Job::*>(field.member);
}

[[nodiscard]] bool may_lack(const schema::JobField& field) {
    return (is_text(field) || is_time(field)) && !field.must_be_given &&
           !field.is_about(&schema::Job::id);
}

/// Of a number; a text that is compared is refused before.
[[nodiscard]] Match match_of(std::string_view sign) {
    if (sign == "<") {
        return Match::before;
    }
    if (sign == "<=") {
        return Match::not_above;
    }
    if (sign == ">=") {
        return Match::not_below;
    }
    return sign == ">" ? Match::above : Match::equal;
}

template <typename Number>
[[nodiscard]] std::optional<Number> number_in(std::string_view text) {
    Number number = 0;
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, number);
    return error == std::errc{} && stop == end ? std::optional(number) : std::nullopt;
}

/// A piece of what parse_where() reads.
struct WhereToken {
    enum class Kind {
        end,
        open,
        close,
        minus,  ///< Right before what it leaves out.
        word,
        key,  ///< Right before its sign; its value follows.
    };

    Kind kind = Kind::end;
    std::size_t position = 0;  ///< In bytes.
    std::string text = {};     ///< Without quotes.
    std::string sign = {};     ///< Of a key: `:`, `<`, `<=`, `>` or `>=`.
    bool is_quoted = false;

    [[nodiscard]] bool is_word(std::string_view word) const {
        return kind == Kind::word && !is_quoted && text == word;
    }

    /// A word that means itself.
    [[nodiscard]] bool is_plain() const {
        return kind == Kind::word && !is_quoted && text != "AND" && text != "OR" && text != "NOT";
    }

    /// A text that ends in `*` is the beginning of others.
    [[nodiscard]] bool is_beginning() const { return !is_quoted && text.ends_with('*'); }
};

constexpr std::string_view kWhereBlanks = " \t\r\n";
constexpr std::string_view kEndsOfWord = " \t\r\n()";
constexpr std::string_view kEndsOfKey = " \t\r\n()\":<>";

[[nodiscard]] bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/// Cuts a text into its pieces. Throws schema::ParseError for a quote that is not closed.
class WhereScanner {
public:
    explicit WhereScanner(std::string_view text) : text_(text) {}

    [[nodiscard]] const WhereToken& peek() {
        if (!next_) {
            next_ = read();
        }
        return *next_;
    }

    WhereToken take() {
        WhereToken token = peek();
        next_.reset();
        return token;
    }

    /// What stands right behind a key that was just taken: empty, if nothing does.
    [[nodiscard]] WhereToken take_value() {
        if (at_ < text_.size() && text_[at_] == '"') {
            return read_quoted();
        }
        WhereToken value{.kind = WhereToken::Kind::word, .position = at_};
        const std::size_t end = std::min(text_.find_first_of(kEndsOfWord, at_), text_.size());
        value.text = text_.substr(at_, end - at_);
        at_ = end;
        return value;
    }

private:
    [[nodiscard]] WhereToken read() {
        at_ = std::min(text_.find_first_not_of(kWhereBlanks, at_), text_.size());
        WhereToken token{.kind = WhereToken::Kind::end, .position = at_};
        if (at_ == text_.size()) {
            return token;
        }
        const char first = text_[at_];
        if (first == '(' || first == ')') {
            ++at_;
            token.kind = first == '(' ? WhereToken::Kind::open : WhereToken::Kind::close;
            return token;
        }
        const bool is_before_blank =
            at_ + 1 == text_.size() || kWhereBlanks.find(text_[at_ + 1]) != std::string_view::npos;
        if (first == '-' && !is_before_blank) {
            ++at_;
            token.kind = WhereToken::Kind::minus;
            return token;
        }
        const std::size_t end = std::min(text_.find_first_of(kEndsOfKey, at_), text_.size());
        const bool has_sign =
            end < text_.size() && (text_[end] == ':' || text_[end] == '<' || text_[end] == '>');
        if (is_letter(first) && has_sign) {
            token.kind = WhereToken::Kind::key;
            token.text = text_.substr(at_, end - at_);
            at_ = end;
            token.sign = take_sign();
            return token;
        }
        return take_value();
    }

    [[nodiscard]] WhereToken read_quoted() {
        WhereToken token{.kind = WhereToken::Kind::word, .position = at_++};
        token.is_quoted = true;
        while (at_ < text_.size() && text_[at_] != '"') {
            const bool is_escaped = text_[at_] == '\\' && at_ + 1 < text_.size();
            at_ += is_escaped ? 1U : 0U;
            token.text += text_[at_++];
        }
        if (at_ == text_.size()) {
            throw schema::ParseError{"this quote is not closed", token.position};
        }
        ++at_;
        return token;
    }

    [[nodiscard]] std::string take_sign() {
        std::string sign(1, text_[at_++]);
        if (sign != ":" && at_ < text_.size() && text_[at_] == '=') {
            sign += text_[at_++];
        }
        return sign;
    }

    std::string_view text_;
    std::size_t at_ = 0;
    std::optional<WhereToken> next_;
};

/// Reads one text. Throws ParseError, which only parse_where() catches.
class WhereParser {
public:
    WhereParser(std::string_view text, const std::function<schema::TimePoint()>& now)
        : scanner_(text), now_(now) {}

    [[nodiscard]] JobTerm parse() {
        JobTerm term = read_any(0);
        if (scanner_.peek().kind != WhereToken::Kind::end) {
            refuse("this ) closes nothing; in a message it stands between quotes");
        }
        return term;
    }

private:
    /// A part of a list whose parts must all match.
    struct Part {
        JobTerm term;
        std::string key = {};  ///< Of which one value is enough; empty: the part stands alone.
    };

    [[noreturn]] static void refuse_at(std::size_t position, std::string message) {
        throw schema::ParseError{std::move(message), position};
    }

    [[noreturn]] void refuse(std::string message) {
        refuse_at(scanner_.peek().position, std::move(message));
    }

    [[nodiscard]] JobTerm read_any(std::size_t depth) {
        std::vector<JobTerm> parts;
        parts.push_back(read_all(depth));
        while (scanner_.peek().is_word("OR")) {
            scanner_.take();
            parts.push_back(read_all(depth));
        }
        return parts.size() == 1 ? std::move(parts.front())
                                 : JobTerm{.kind = Kind::any, .parts = std::move(parts)};
    }

    [[nodiscard]] bool is_at_end_of_list() {
        const WhereToken& next = scanner_.peek();
        return next.kind == WhereToken::Kind::end || next.kind == WhereToken::Kind::close ||
               next.is_word("OR");
    }

    [[nodiscard]] JobTerm read_all(std::size_t depth) {
        std::vector<Part> parts;
        while (!is_at_end_of_list()) {
            if (!parts.empty() && scanner_.peek().is_word("AND")) {
                scanner_.take();
            }
            add(parts, read_part(depth));
        }
        if (parts.empty()) {
            refuse("a term is missing here, such as type:mail");
        }
        JobTerm all{.kind = Kind::all};
        for (Part& part : parts) {
            all.parts.push_back(std::move(part.term));
        }
        if (all.parts.size() > 1) {
            return all;
        }
        JobTerm only = std::move(all.parts.front());
        return only;
    }

    static void add(std::vector<Part>& parts, Part part) {
        const auto same = std::ranges::find_if(parts, [&](const Part& before) {
            return !part.key.empty() && before.key == part.key;
        });
        if (same == parts.end()) {
            parts.push_back(std::move(part));
            return;
        }
        if (same->term.kind != Kind::any) {
            JobTerm any{.kind = Kind::any};
            any.parts.push_back(std::move(same->term));
            same->term = std::move(any);
        }
        same->term.parts.push_back(std::move(part.term));
    }

    [[nodiscard]] Part read_part(std::size_t depth) {
        if (depth == kTermDepthMost) {
            refuse(fmt::format("parentheses and NOT nest {} deep at most", kTermDepthMost));
        }
        const WhereToken token = scanner_.take();
        if (++terms_ > kTermsMost) {
            refuse_at(token.position, fmt::format("there are {} terms at most", kTermsMost));
        }
        if (token.kind == WhereToken::Kind::open) {
            JobTerm inner = read_any(depth + 1);
            if (scanner_.peek().kind != WhereToken::Kind::close) {
                refuse_at(
                    token.position, "this ( is not closed; in a message it stands between quotes"
                );
            }
            scanner_.take();
            return {.term = std::move(inner)};
        }
        if (token.is_word("NOT")) {
            if (is_at_end_of_list() || scanner_.peek().is_word("AND")) {
                refuse("a term is missing behind NOT");
            }
            return {.term = not_term(read_part(depth + 1).term)};
        }
        if (token.is_word("AND")) {
            refuse_at(token.position, "a term is missing before AND");
        }
        if (token.kind == WhereToken::Kind::minus) {
            return {.term = read_negated(depth)};
        }
        return token.kind == WhereToken::Kind::key ? read_key(token) : read_words(token);
    }

    /// `-tenant` is without one, and `-tenant:acme` of any other, or none.
    [[nodiscard]] JobTerm read_negated(std::size_t depth) {
        const WhereToken& next = scanner_.peek();
        if (next.kind != WhereToken::Kind::word || next.is_quoted) {
            return not_term(read_part(depth + 1).term);
        }
        const WhereToken token = scanner_.take();
        if (token.text == "locked") {
            return not_term({.kind = Kind::locked});
        }
        if (token.text == "free") {
            return {.kind = Kind::locked};
        }
        if (auto known = presence_of(token, token.text)) {
            return not_term(*std::move(known));
        }
        const std::string_view near = nearest_key(token.text);
        if (near.size() >= 4 && edits_between(near, token.text) <= near.size() / 4) {
            refuse_at(
                token.position,
                no_such_key(token.text) + " A part of a message stands between quotes"
            );
        }
        return not_term(message_with(token.text));
    }

    /// What has a value there; nullopt: no such key.
    [[nodiscard]] std::optional<JobTerm>
    presence_of(const WhereToken& token, std::string_view name) {
        if (name == kException) {
            return JobTerm{.kind = Kind::failed};
        }
        if (is_payload(name)) {
            PayloadCondition absent{path_in(token, name), Match::absent};
            return not_term({.kind = Kind::payload, .parts = {}, .leaf = std::move(absent)});
        }
        const schema::JobField* const field = field_named(name);
        if (field == nullptr) {
            return std::nullopt;
        }
        if (!may_lack(*field)) {
            refuse_at(token.position, fmt::format("every job has a value of {}", name));
        }
        return not_term(term_of(persistence::is_absent(field->member)));
    }

    [[nodiscard]] std::vector<std::string> path_in(const WhereToken& token, std::string_view key) {
        if (++payload_terms_ > kPayloadTermsMost) {
            refuse_at(
                token.position,
                fmt::format("there are {} terms about payloads at most", kPayloadTermsMost)
            );
        }
        std::vector<std::string> path;
        std::string_view rest = key.substr(kPayloadPrefix.size());
        while (true) {
            const std::size_t end = std::min(rest.find('.'), rest.size());
            const std::string_view member = rest.substr(0, end);
            if (member.empty() || member.find_first_of("\\\"'`") != std::string_view::npos) {
                refuse_at(token.position, "a path of the payload is such as payload.items.0.name");
            }
            path.emplace_back(member);
            if (end == rest.size()) {
                return path;
            }
            rest.remove_prefix(end + 1);
        }
    }

    [[nodiscard]] static JobTerm message_with(std::string text) {
        return term_of(persistence::contains(&schema::Job::exception_message, std::move(text)));
    }

    /// Words without quotes that follow each other are one text.
    [[nodiscard]] Part read_words(const WhereToken& first) {
        std::string text = first.text;
        if (!first.is_quoted) {
            while (scanner_.peek().is_plain()) {
                text += ' ' + scanner_.take().text;
            }
        }
        if (text.empty()) {
            refuse_at(first.position, "there is nothing between the quotes");
        }
        return {.term = message_with(std::move(text))};
    }

    [[nodiscard]] Part read_key(const WhereToken& token) {
        const schema::JobField* const field = field_named(token.text);
        const bool is_of_payload = is_payload(token.text);
        if (field == nullptr && !is_of_payload && token.text != "is" && token.text != "has") {
            refuse_key(token);
        }
        const WhereToken value = scanner_.take_value();
        if (value.text.empty()) {
            refuse_at(
                value.position,
                fmt::format("a value is missing behind {}{}", printable(token.text), token.sign)
            );
        }
        if (is_of_payload) {
            return read_payload(token, value);
        }
        if (field == nullptr) {
            return {
                .term =
                    token.text == "is" ? read_state(token, value) : read_presence(token, value)};
        }
        if (is_time(*field)) {
            return {.term = read_time(token, *field, value)};
        }
        return is_text(*field) ? read_text(token, *field, value)
                               : read_number(token, *field, value);
    }

    [[noreturn]] static void refuse_key(const WhereToken& token) {
        refuse_at(
            token.position, no_such_key(token.text) + " A part of a message stands between quotes"
        );
    }

    static void require_colon(const WhereToken& token) {
        if (token.sign != ":") {
            refuse_at(
                token.position, fmt::format("{0} is a text: {0}:VALUE", printable(token.text))
            );
        }
    }

    [[nodiscard]] static JobTerm read_state(const WhereToken& token, const WhereToken& value) {
        if (token.sign == ":" && value.text == "locked") {
            return {.kind = Kind::locked};
        }
        if (token.sign == ":" && value.text == "free") {
            return not_term({.kind = Kind::locked});
        }
        refuse_at(value.position, "is:locked or is:free");
    }

    [[nodiscard]] JobTerm read_presence(const WhereToken& token, const WhereToken& value) {
        require_colon(token);
        if (auto known = presence_of(value, value.text)) {
            return *std::move(known);
        }
        refuse_at(
            value.position,
            no_such_key(value.text) + " Such are has:exception, has:tenant or has:payload.sum"
        );
    }

    [[nodiscard]] Part
    read_text(const WhereToken& token, const schema::JobField& field, const WhereToken& value) {
        require_colon(token);
        FieldCondition condition{field.member, Match::equal, value.text};
        if (field.filter_by == schema::FieldFilter::part) {
            condition.match = Match::part;
            return {.term = term_of(std::move(condition))};
        }
        if (value.is_beginning()) {
            condition.match = Match::start;
            condition.value = value.text.substr(0, value.text.size() - 1);
        }
        return {.term = term_of(std::move(condition)), .key = std::string(field.name)};
    }

    [[nodiscard]] JobTerm
    read_time(const WhereToken& token, const schema::JobField& field, const WhereToken& value) {
        if (token.sign == ":") {
            refuse_at(
                token.position, fmt::format("{0} is a time: {0}<2h, {0}>\"2 days ago\"", token.text)
            );
        }
        const bool is_ahead = field.is_about(&schema::Job::due_date);
        const auto spoken = timers::parse_spoken_time(value.text);
        const auto time = spoken ? spoken.value().at(
                                       timers::Zone::utc(),
                                       spoken.value().is_relative() ? now_() : schema::TimePoint(),
                                       is_ahead ? timers::Toward::ahead : timers::Toward::behind
                                   )
                                 : std::nullopt;
        if (!time) {
            refuse_at(
                value.position,
                fmt::format(
                    "{} is no time, such as 2026-11-20T10:15:30Z or 2h",
                    quoted_if_needed(value.text)
                )
            );
        }
        const bool is_before = token.sign.starts_with('<');
        return term_of({field.member, is_before ? Match::before : Match::after, *time});
    }

    [[nodiscard]] static Part
    read_number(const WhereToken& token, const schema::JobField& field, const WhereToken& value) {
        const auto number = number_in<std::int64_t>(value.text);
        if (!number) {
            refuse_at(
                value.position, fmt::format("{0} is a whole number, such as {0}>=3", token.text)
            );
        }
        return {
            .term = term_of({field.member, match_of(token.sign), *number}),
            .key = token.sign == ":" ? std::string(field.name) : std::string()};
    }

    [[nodiscard]] Part read_payload(const WhereToken& token, const WhereToken& value) {
        PayloadCondition condition{path_in(token, token.text), Match::equal, value.text};
        std::string key;
        if (token.sign == ":") {
            key = token.text;
            if (value.is_beginning()) {
                condition.match = Match::start;
                condition.value = value.text.substr(0, value.text.size() - 1);
            }
        } else {
            const auto number = number_in<double>(value.text);
            if (!number || !std::isfinite(*number)) {
                refuse_at(value.position, fmt::format("behind {} stands a number", token.sign));
            }
            condition.match = match_of(token.sign);
            condition.value = *number;
        }
        return {
            .term = {.kind = Kind::payload, .parts = {}, .leaf = std::move(condition)},
            .key = std::move(key)};
    }

    WhereScanner scanner_;
    const std::function<schema::TimePoint()>& now_;
    std::size_t terms_ = 0;
    std::size_t payload_terms_ = 0;
};

}  // namespace

schema::ParseResult<JobTerm>
parse_where(std::string_view text, const std::function<schema::TimePoint()>& now) {
    if (!schema::count_characters(text)) {
        return schema::ParseError{"this is not UTF-8, or has a NUL"};
    }
    try {
        return WhereParser(text, now).parse();
    } catch (const schema::ParseError& error) {
        return error;
    }
}

}  // namespace jobstrand::cli
