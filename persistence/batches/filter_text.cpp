#include "persistence/batches/filter_text.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/ensure.hpp"
#include "schema/job_fields.hpp"
#include "schema/text/time_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <ranges>
#include <type_traits>
#include <utility>

namespace jobstrand::persistence {

namespace {

using Match = FieldCondition::Match;

constexpr std::array kMatchWords{
    std::pair{Match::equal, std::string_view("equal")},
    std::pair{Match::part, std::string_view("part")},
    std::pair{Match::start, std::string_view("start")},
    std::pair{Match::end, std::string_view("end")},
    std::pair{Match::one_of, std::string_view("one_of")},
    std::pair{Match::like_one_of, std::string_view("like_one_of")},
    std::pair{Match::absent, std::string_view("absent")},
    std::pair{Match::before, std::string_view("before")},
    std::pair{Match::after, std::string_view("after")},
    std::pair{Match::above, std::string_view("above")},
    std::pair{Match::not_below, std::string_view("not_below")},
    std::pair{Match::not_above, std::string_view("not_above")},
};

constexpr std::string_view kLocked = "locked";
constexpr std::string_view kFailed = "failed";
constexpr std::string_view kOnlyOurs = "ours";
constexpr std::string_view kWhere = "where";
constexpr std::string_view kAll = "all";
constexpr std::string_view kAny = "any";
constexpr std::string_view kNot = "not";
constexpr std::string_view kPayload = "payload";
constexpr char kEndOfText = '\x1f';  // In a list of them.

/// A text keeps to its line.
[[nodiscard]] std::string escaped(std::string_view text) {
    std::string line;
    for (const char byte : text) {
        if (byte == '\\') {
            line += "\\\\";
        } else if (byte == '\n') {
            line += "\\n";
        } else if (byte == kEndOfText) {
            line += "\\u";
        } else {
            line += byte;
        }
    }
    return line;
}

[[nodiscard]] std::string unescaped(std::string_view line) {
    std::string text;
    for (std::size_t i = 0; i < line.size(); ++i) {
        if (line[i] != '\\' || i + 1 == line.size()) {
            text += line[i];
            continue;
        }
        ++i;
        text += line[i] == 'n' ? '\n' : line[i] == 'u' ? kEndOfText : line[i];
    }
    return text;
}

struct ValueText {
    std::string operator()(const std::string& text) const { return escaped(text); }
    std::string operator()(schema::TimePoint time) const { return schema::format_instant(time); }
    std::string operator()(std::int64_t number) const { return std::to_string(number); }
    std::string operator()(double number) const { return fmt::format("{}", number); }
    std::string operator()(const FieldCondition::Texts& texts) const {
        std::string all;
        for (const std::string& text : texts) {
            all += escaped(text) + kEndOfText;
        }
        return all;
    }
};

[[noreturn]] void refuse_line(std::string_view line) {
    throw DbError(
        DbErrorKind::unreadable,
        fmt::format("a batch has the selection \"{}\", which is none", line)
    );
}

/// Cuts what stands before the next blank off.
[[nodiscard]] std::string_view take_word(std::string_view& line) {
    const std::size_t end = std::min(line.find(' '), line.size());
    const std::string_view word = line.substr(0, end);
    line.remove_prefix(std::min(end + 1, line.size()));
    return word;
}

template <typename Number>
[[nodiscard]] Number number_of(std::string_view text) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc{} || end != text.data() + text.size()) {
        refuse_line(text);
    }
    return number;
}

[[nodiscard]] FieldCondition::Texts texts_in(std::string_view text) {
    FieldCondition::Texts texts;
    for (std::size_t end = text.find(kEndOfText); end != text.npos; end = text.find(kEndOfText)) {
        texts.push_back(unescaped(text.substr(0, end)));
        text.remove_prefix(end + 1);
    }
    return texts;
}

/// What kind of value is asked for, the match and the field say.
[[nodiscard]] decltype(FieldCondition::value)
value_in(std::string_view text, Match match, const schema::JobMember& member) {
    if (match == Match::absent) {
        return {};
    }
    if (match == Match::one_of || match == Match::like_one_of) {
        return texts_in(text);
    }
    if (std::holds_alternative<TimeMember>(member)) {
        const auto time = schema::parse_instant(text);
        if (!time) {
            refuse_line(text);
        }
        return time.value();
    }
    if (!std::holds_alternative<std::string schema::Job::*>(member)) {
        return number_of<std::int64_t>(text);
    }
    return unescaped(text);
}

[[nodiscard]] Match match_in(std::string_view column, std::string_view word) {
    const auto match =
        std::ranges::find(kMatchWords, word, &std::pair<Match, std::string_view>::second);
    if (match == kMatchWords.end()) {
        refuse_line(fmt::format("{} {}", column, word));
    }
    return match->first;
}

[[nodiscard]] FieldCondition condition_in(std::string_view column, std::string_view line) {
    const auto fields = schema::job_fields();
    const auto field = std::ranges::find(fields, column, [](const schema::JobField& known) {
        return known.column.name;
    });
    const Match match = match_in(column, take_word(line));
    if (field == fields.end()) {
        refuse_line(column);
    }
    return {field->member, match, value_in(line, match, field->member)};
}

[[nodiscard]] bool asks_text(Match match) {
    return match == Match::equal || match == Match::start;
}

/// The path ends with an empty text, and the value follows.
[[nodiscard]] PayloadCondition payload_condition_in(std::string_view line) {
    PayloadCondition asked{.path = {}, .match = match_in(kPayload, take_word(line))};
    constexpr std::string_view end_of_path{"\x1f\x1f"};
    const std::size_t end = line.find(end_of_path);
    if (end == line.npos) {
        refuse_line(line);
    }
    asked.path = texts_in(line.substr(0, end + 1));
    const std::string_view value = line.substr(end + end_of_path.size());
    if (asks_text(asked.match)) {
        asked.value = unescaped(value);
    } else if (asked.match != Match::absent) {
        asked.value = number_of<double>(value);
    }
    return asked;
}

[[nodiscard]] std::string_view word_of(Match match) {
    return std::ranges::find(kMatchWords, match, &std::pair<Match, std::string_view>::first)
        ->second;
}

[[nodiscard]] std::string line_of(const FieldCondition& asked) {
    return fmt::format(
        "{} {} {}\n",
        schema::field_of(asked.member).column.name,
        word_of(asked.match),
        std::visit(ValueText{}, asked.value)
    );
}

[[nodiscard]] std::string line_of(const PayloadCondition& asked) {
    return fmt::format(
        "{} {} {}{}{}\n",
        kPayload,
        word_of(asked.match),
        ValueText{}(asked.path),
        kEndOfText,
        asked.match == Match::absent ? std::string() : std::visit(ValueText{}, asked.value)
    );
}

/// The line of the term itself, and behind it those of its parts.
[[nodiscard]] std::string lines_of(const JobTerm& term) {
    std::string lines;
    switch (term.kind) {
        case JobTerm::Kind::all:
            lines = fmt::format("{} {}\n", kAll, term.parts.size());
            break;
        case JobTerm::Kind::any:
            lines = fmt::format("{} {}\n", kAny, term.parts.size());
            break;
        case JobTerm::Kind::negated:
            lines = fmt::format("{}\n", kNot);
            break;
        case JobTerm::Kind::field:
            return line_of(std::get<FieldCondition>(term.leaf));
        case JobTerm::Kind::payload:
            return line_of(std::get<PayloadCondition>(term.leaf));
        case JobTerm::Kind::locked:
            return fmt::format("{}\n", kLocked);
        case JobTerm::Kind::failed:
            return fmt::format("{}\n", kFailed);
    }
    for (const JobTerm& part : term.parts) {
        lines += lines_of(part);
    }
    return lines;
}

[[nodiscard]] bool is_yes(std::string_view word) {
    if (word != "yes" && word != "no") {
        refuse_line(word);
    }
    return word == "yes";
}

/// Reads lines from the first to the last.
class LineReader {
public:
    explicit LineReader(std::string_view text) {
        for (const auto part : std::views::split(text, '\n')) {
            if (!part.empty()) {
                lines_.emplace_back(part.begin(), part.end());
            }
        }
    }

    [[nodiscard]] JobFilter read() {
        JobFilter filter;
        while (at_ < lines_.size()) {
            read_into(filter);
        }
        return filter;
    }

private:
    void read_into(JobFilter& filter) {
        std::string_view line = lines_[at_++];
        const std::string_view what = take_word(line);
        if (what == kLocked) {
            filter.locked = is_yes(line);
        } else if (what == kFailed) {
            filter.failed = is_yes(line);
        } else if (what == kOnlyOurs) {
            filter.only_ours = is_yes(line);
        } else if (what == kWhere) {
            filter.where.push_back(read_term());
        } else {
            filter.fields.push_back(condition_in(what, line));
        }
    }

    [[nodiscard]] JobTerm read_term() {
        using Kind = JobTerm::Kind;
        if (at_ == lines_.size()) {
            refuse_line(kWhere);
        }
        std::string_view line = lines_[at_++];
        const std::string_view what = take_word(line);
        if (what == kAll || what == kAny) {
            const Kind kind = what == kAll ? Kind::all : Kind::any;
            return {.kind = kind, .parts = read_terms(number_of<std::size_t>(line))};
        }
        if (what == kNot) {
            return {.kind = Kind::negated, .parts = read_terms(1)};
        }
        if (what == kLocked || what == kFailed) {
            return {.kind = what == kLocked ? Kind::locked : Kind::failed};
        }
        if (what == kPayload) {
            return {.kind = Kind::payload, .parts = {}, .leaf = payload_condition_in(line)};
        }
        return {.kind = Kind::field, .parts = {}, .leaf = condition_in(what, line)};
    }

    [[nodiscard]] std::vector<JobTerm> read_terms(std::size_t count) {
        std::vector<JobTerm> terms;
        for (std::size_t i = 0; i < count; ++i) {
            terms.push_back(read_term());
        }
        return terms;
    }

    std::vector<std::string_view> lines_;
    std::size_t at_ = 0;
};

[[nodiscard]] std::string line_of(std::string_view what, const std::optional<bool>& asked) {
    return asked ? fmt::format("{} {}\n", what, *asked ? "yes" : "no") : std::string();
}

}  // namespace

std::string text_of(const JobFilter& filter) {
    JOBSTRAND_ENSURE(filter.ids.empty());
    std::string text;
    for (const FieldCondition& asked : filter.fields) {
        text += line_of(asked);
    }
    for (const JobTerm& term : filter.where) {
        text += fmt::format("{}\n{}", kWhere, lines_of(term));
    }
    text += line_of(kLocked, filter.locked) + line_of(kFailed, filter.failed);
    return text + (filter.only_ours ? line_of(kOnlyOurs, true) : std::string());
}

JobFilter filter_in(std::string_view text) {
    return LineReader(text).read();
}

}  // namespace jobstrand::persistence
