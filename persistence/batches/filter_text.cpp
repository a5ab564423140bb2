#include "persistence/batches/filter_text.hpp"

#include "persistence/sql/db_error.hpp"
#include "schema/ensure.hpp"
#include "schema/job_fields.hpp"
#include "schema/text/iso8601.hpp"

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

[[nodiscard]] std::int64_t number_of(std::string_view text) {
    std::int64_t number = 0;
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
        return number_of(text);
    }
    return unescaped(text);
}

[[nodiscard]] FieldCondition condition_in(std::string_view column, std::string_view line) {
    const auto fields = schema::job_fields();
    const auto field = std::ranges::find(fields, column, [](const schema::JobField& known) {
        return known.column.name;
    });
    const std::string_view word = take_word(line);
    const auto match =
        std::ranges::find(kMatchWords, word, &std::pair<Match, std::string_view>::second);
    if (field == fields.end() || match == kMatchWords.end()) {
        refuse_line(fmt::format("{} {}", column, word));
    }
    return {field->member, match->first, value_in(line, match->first, field->member)};
}

[[nodiscard]] bool is_yes(std::string_view word) {
    if (word != "yes" && word != "no") {
        refuse_line(word);
    }
    return word == "yes";
}

void read_line(std::string_view line, JobFilter& filter) {
    const std::string_view what = take_word(line);
    if (what == kLocked) {
        filter.locked = is_yes(line);
    } else if (what == kFailed) {
        filter.failed = is_yes(line);
    } else if (what == kOnlyOurs) {
        filter.only_ours = is_yes(line);
    } else {
        filter.fields.push_back(condition_in(what, line));
    }
}

[[nodiscard]] std::string line_of(std::string_view what, const std::optional<bool>& asked) {
    return asked ? fmt::format("{} {}\n", what, *asked ? "yes" : "no") : std::string();
}

}  // namespace

std::string text_of(const JobFilter& filter) {
    JOBSTRAND_ENSURE(filter.ids.empty());
    std::string text;
    for (const FieldCondition& asked : filter.fields) {
        const auto match =
            std::ranges::find(kMatchWords, asked.match, &std::pair<Match, std::string_view>::first);
        JOBSTRAND_ENSURE(match != kMatchWords.end());
        text += fmt::format(
            "{} {} {}\n",
            schema::field_of(asked.member).column.name,
            match->second,
            std::visit(ValueText{}, asked.value)
        );
    }
    text += line_of(kLocked, filter.locked) + line_of(kFailed, filter.failed);
    return text + (filter.only_ours ? line_of(kOnlyOurs, true) : std::string());
}

JobFilter filter_in(std::string_view text) {
    JobFilter filter;
    for (const auto part : std::views::split(text, '\n')) {
        const std::string_view line(part.begin(), part.end());
        if (!line.empty()) {
            read_line(line, filter);
        }
    }
    return filter;
}

}  // namespace jobstrand::persistence
