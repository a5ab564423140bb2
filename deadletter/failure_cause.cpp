#include "deadletter/failure_cause.hpp"

#include "schema/job_failure.hpp"
#include "schema/text/column_text.hpp"
#include "schema/text/utf8.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace jobstrand::deadletter {

namespace {

/// What is looked at of a message, which may be as long as its writer liked.
constexpr std::size_t kBytesRead = 4096;

/// A part of a word with a digit in it, or of hexadecimal digits alone, that nobody says aloud.
constexpr std::size_t kLongToken = 24;

/// The same of letters alone: some languages and programs have long words.
constexpr std::size_t kLongWord = 64;

/// The shortest hexadecimal id: a shortened hash.
constexpr std::size_t kShortHexadecimal = 8;

/// The longest number that is a code.
constexpr std::size_t kLongCode = 5;

/// The words of a short message, which has room for little but what it is about.
constexpr std::ptrdiff_t kShortMessage = 3;

/// Numbers with one of these between them are one: dates, addresses, fractions.
constexpr std::string_view kJoints = ".,:-_/";

constexpr std::array<std::string_view, 7>
    kCodeWords{"code", "status", "http", "error", "errno", "signal", "sqlstate"};

// Of ASCII alone, whatever the locale says.
[[nodiscard]] bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

[[nodiscard]] bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

[[nodiscard]] bool is_hexadecimal(char c) {
    return is_digit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

[[nodiscard]] bool is_hyphen(char c) {
    return c == '-' || c == '_';
}

[[nodiscard]] bool is_of_word(char c) {
    return is_letter(c) || is_digit(c) || is_hyphen(c);
}

[[nodiscard]] bool is_quote(char c) {
    return c == '\'' || c == '"' || c == '`';
}

[[nodiscard]] bool is_blank(char c) {
    const auto byte = static_cast<unsigned char>(c);
    return byte <= 0x20U || byte == 0x7fU;
}

/// A name of something in the program: letters and what joins them.
[[nodiscard]] bool is_plain_word(std::string_view text) {
    return text.size() < kLongToken && std::ranges::all_of(text, [](char c) {
               return is_letter(c) || is_hyphen(c) || c == '.';
           });
}

/// A number, a date, a UUID or another id of hexadecimal digits.
[[nodiscard]] bool is_id(std::string_view word) {
    const auto is_of_number = [](char c) { return is_digit(c) || c == '-'; };
    const auto is_of_id = [](char c) { return is_hexadecimal(c) || c == '-'; };
    if (std::ranges::none_of(word, is_digit)) {
        return false;
    }
    return std::ranges::all_of(word, is_of_number) ||
           (word.size() >= kShortHexadecimal && std::ranges::all_of(word, is_of_id));
}

/// Writes a pattern from left to right. Whatever it decides depends on what it has written and on
/// what is to come, of which a pattern keeps what matters: so it leaves a pattern as it is.
class PatternWriter {
public:
    explicit PatternWriter(std::string_view line)
        : is_short_(std::ranges::count(line, ' ') < kShortMessage), rest_(line) {}

    [[nodiscard]] std::string write() {
        while (!rest_.empty() && !is_full_) {
            if (is_quote(rest_.front()) && !ends_in_word()) {
                write_quoted();
            } else if (is_of_word(rest_.front())) {
                const auto end = std::ranges::find_if_not(rest_, is_of_word);
                write_word(taken(static_cast<std::size_t>(end - rest_.begin())));
            } else {
                append(taken(std::max<std::size_t>(schema::first_character_size(rest_), 1)));
            }
        }
        if (pattern_.ends_with(' ')) {
            pattern_.pop_back();
        }
        return std::move(pattern_);
    }

private:
    [[nodiscard]] std::string_view taken(std::size_t bytes) {
        const std::string_view text = rest_.substr(0, bytes);
        rest_.remove_prefix(bytes);
        return text;
    }

    /// An apostrophe behind a letter opens no quotation.
    [[nodiscard]] bool ends_in_word() const {
        return !pattern_.empty() && is_of_word(pattern_.back());
    }

    /// Whether the quotation up to there stands alone, as a word among others does.
    [[nodiscard]] bool is_word_alone(std::size_t end) const {
        const bool begins = pattern_.empty() || pattern_.ends_with(' ');
        return begins && (end + 1 == rest_.size() || rest_[end + 1] == ' ');
    }

    /// What is not closed is no quotation, and what is empty says nothing. A quoted word is all
    /// that a short message has to say: KeyError: 'customer'.
    void write_quoted() {
        const std::size_t end = rest_.find(rest_.front(), 1);
        if (end == std::string_view::npos) {
            append(taken(1));
        } else if (end == 1) {
            append(taken(2));
        } else if (is_short_ && is_word_alone(end) && is_plain_word(rest_.substr(1, end - 1))) {
            append(taken(end + 1));
        } else {
            (void)taken(end + 1);
            append_placeholder();
        }
    }

    void write_word(std::string_view word) {
        if (is_code(word)) {
            append(word);
            return;
        }
        if (is_id(word)) {
            append_placeholder();
            return;
        }
        while (!word.empty()) {
            const auto end =
                is_hyphen(word.front()) ? word.begin() + 1 : std::ranges::find_if(word, is_hyphen);
            const auto size = static_cast<std::size_t>(end - word.begin());
            is_hyphen(word.front()) ? append(word.substr(0, size))
                                    : write_part(word.substr(0, size));
            word.remove_prefix(size);
        }
    }

    /// `order17` keeps its letters; with two numbers in it, it is somebody's token.
    void write_part(std::string_view part) {
        const auto first = std::ranges::find_if(part, is_digit);
        const auto behind = std::find_if_not(first, part.end(), is_digit);
        const bool has_digits = first != part.end();
        const bool is_token = part.size() >= kLongWord ||
                              std::any_of(behind, part.end(), is_digit) ||
                              (part.size() >= kLongToken &&
                               (has_digits || std::ranges::all_of(part, is_hexadecimal)));
        if (is_token) {
            append_placeholder();
        } else if (!has_digits) {
            append(part);
        } else {
            append(part.substr(0, static_cast<std::size_t>(first - part.begin())));
            append_placeholder();
            append(part.substr(static_cast<std::size_t>(behind - part.begin())));
        }
    }

    [[nodiscard]] bool is_code(std::string_view word) const {
        if (word.size() > kLongCode || !std::ranges::all_of(word, is_digit)) {
            return false;
        }
        std::string_view before = pattern_;
        before = before.substr(0, before.find_last_not_of(" =:") + 1);
        if (before.size() == pattern_.size()) {
            return false;
        }
        std::string last;
        for (; !before.empty() && is_letter(before.back()); before.remove_suffix(1)) {
            last.insert(last.begin(), schema::small_letter(before.back()));
        }
        return std::ranges::find(kCodeWords, last) != kCodeWords.end();
    }

    /// Nothing is cut in its middle: its beginning could mean something else.
    void append(std::string_view text) {
        is_full_ = is_full_ || pattern_.size() + text.size() > kPatternBytes;
        if (!is_full_) {
            pattern_ += text;
        }
    }

    void append_placeholder() {
        if (pattern_.ends_with(kPlaceholder)) {
            return;
        }
        const bool has_joint =
            !pattern_.empty() && kJoints.find(pattern_.back()) != std::string_view::npos;
        if (has_joint && pattern_.substr(0, pattern_.size() - 1).ends_with(kPlaceholder)) {
            pattern_.pop_back();
            return;
        }
        append(kPlaceholder);
    }

    const bool is_short_;
    std::string_view rest_;
    std::string pattern_;
    bool is_full_ = false;
};

}  // namespace

std::string on_one_clean_line(std::string_view text) {
    std::string line;
    bool is_in_bad_bytes = false;
    text = text.substr(0, kBytesRead);
    while (!text.empty()) {
        const std::size_t size = schema::first_character_size(text);
        const bool is_bad = size == 0;
        if (is_bad) {
            line += is_in_bad_bytes ? "" : "?";
        } else if (!is_blank(text.front())) {
            line += text.substr(0, size);
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
        is_in_bad_bytes = is_bad;
        text.remove_prefix(std::max<std::size_t>(size, 1));
    }
    if (line.ends_with(' ')) {
        line.pop_back();
    }
    return line;
}

std::string failure_pattern(std::string_view message) {
    return PatternWriter(on_one_clean_line(message)).write();
}

namespace {

constexpr std::size_t kIdDigits = 12;

}  // namespace

FailureCause cause_of(std::string_view handler_type, std::string_view message) {
    FailureCause cause{.handler_type = std::string(handler_type)};
    const std::string line = on_one_clean_line(message);
    std::string_view rest = line;
    cause.error_class = schema::error_class_of(line);
    if (rest.starts_with(cause.error_class) && !cause.error_class.empty()) {
        rest.remove_prefix(std::min(cause.error_class.size() + 2, rest.size()));
    }
    cause.message = failure_pattern(rest);
    return cause;
}

std::string id_of(const FailureCause& cause) {
    std::string text = cause.handler_type;
    (text += '\0') += cause.error_class;
    (text += '\0') += cause.message;
    const std::string digest = schema::digest_of(text);
    return digest.substr(digest.size() - kIdDigits);
}

bool is_cause_id(std::string_view text) {
    return text.size() == kIdDigits &&
           text.find_first_not_of("0123456789abcdef") == std::string_view::npos;
}

namespace {

void count_in(CauseGroup& group, const persistence::DeadLetterFailure& failure) {
    ++group.jobs;
    if (group.example.empty() || failure.failed_time >= group.last_failed) {
        group.example = failure.id;
    }
    if (failure.failed_time) {
        group.first_failed =
            std::min(group.first_failed.value_or(*failure.failed_time), *failure.failed_time);
        group.last_failed = std::max(group.last_failed, failure.failed_time);
    }
}

}  // namespace

void CauseTally::add(const persistence::DeadLetterFailure& failure) {
    FailureCause cause = cause_of(failure.handler_type, failure.message);
    std::string id = id_of(cause);
    auto found = groups_.find(id);
    if (found == groups_.end()) {
        if (groups_.size() == kCausesKept) {
            ++others_;
            return;
        }
        CauseGroup group{.id = id, .cause = std::move(cause)};
        found = groups_.emplace(std::move(id), std::move(group)).first;
    }
    count_in(found->second, failure);
}

CauseSummary CauseTally::take() {
    CauseSummary summary{.groups = {}, .others = others_};
    for (auto& [id, group] : groups_) {
        summary.groups.push_back(std::move(group));
    }
    groups_.clear();
    std::ranges::stable_sort(summary.groups, std::greater(), &CauseGroup::jobs);
    return summary;
}

namespace {

constexpr std::size_t kFailuresPage = 2'000;

using schema::Job;

/// The one that is the last of the latest `most`; nullopt: there are no more than these.
[[nodiscard]] std::optional<Job> last_of(persistence::OperatorStore& store, std::size_t most) {
    return store.mark_ahead(
        schema::JobPlace::dead_letter,
        {.by = &Job::failed_time, .is_descending = true, .limit = most}
    );
}

}  // namespace

CauseSummary
latest_causes(persistence::OperatorStore& store, std::size_t most, persistence::JobFilter filter) {
    CauseTally tally;
    const std::optional<Job> last = last_of(store, most);
    if (last && last->failed_time) {
        auto since = persistence::is_after(&Job::failed_time, *last->failed_time);
        since.match = persistence::FieldCondition::Match::not_below;
        filter.fields.push_back(std::move(since));
    }
    std::optional<persistence::DeadLetterMark> behind;
    std::size_t left = most;
    while (left > 0) {
        const std::size_t wanted = std::min(left, kFailuresPage);
        const auto page = store.newest_failures(filter, behind, wanted);
        std::ranges::for_each(page, [&](const auto& failure) { tally.add(failure); });
        if (page.size() < wanted) {
            break;
        }
        behind = {.failed_time = page.back().failed_time, .id = page.back().id};
        left -= page.size();
    }
    // Those that do not say when they died stand behind all marks.
    const bool are_more = last || (left == 0 && !store.newest_failures(filter, behind, 1).empty());
    CauseSummary summary = tally.take();
    summary.looked_at = are_more ? std::optional(most) : std::nullopt;
    for (CauseGroup& group : summary.groups) {
        group.looked_at = summary.looked_at;
    }
    return summary;
}

}  // namespace jobstrand::deadletter
