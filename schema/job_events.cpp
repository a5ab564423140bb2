#include "schema/job_events.hpp"

#include "schema/text/utf8.hpp"

#include <algorithm>
#include <span>

namespace jobstrand {

std::string_view name_of(JobEvent event) {
    switch (event) {
        case JobEvent::created:
            return "created";
        case JobEvent::failed:
            return "failed";
        case JobEvent::succeeded:
            return "succeeded";
        case JobEvent::deleted:
            return "deleted";
        case JobEvent::dead:
            return "dead";
        case JobEvent::requeued:
            return "requeued";
        case JobEvent::interrupted:
            return "interrupted";
    }
    return "unknown";
}

std::string_view name_of(JobLogLevel level) {
    switch (level) {
        case JobLogLevel::none:
            return "none";
        case JobLogLevel::failures:
            return "failures";
        case JobLogLevel::full:
            return "full";
    }
    return "unknown";
}

namespace schema {

namespace {

template <typename Word>
std::optional<Word> word_of(std::string_view name, std::span<const Word> words) {
    const auto found =
        std::ranges::find_if(words, [name](Word word) { return name_of(word) == name; });
    return found == words.end() ? std::nullopt : std::optional(*found);
}

}  // namespace

std::optional<JobEvent> job_event_of(std::string_view name) {
    return word_of<JobEvent>(name, kJobEvents);
}

std::optional<JobEvent> event_of(TransitionReason reason) {
    switch (reason) {
        case TransitionReason::completed:
        case TransitionReason::handed_on:
            return JobEvent::succeeded;
        case TransitionReason::retry:
        case TransitionReason::retries_exhausted:
        case TransitionReason::not_retryable:
            return JobEvent::failed;
        case TransitionReason::crash_loop:
        case TransitionReason::cancelled:
        case TransitionReason::given_up:
        case TransitionReason::id_taken:
        case TransitionReason::unreadable:
            return JobEvent::dead;
        case TransitionReason::let_go:
        case TransitionReason::removed:
            return JobEvent::deleted;
        case TransitionReason::requeued:
            return JobEvent::requeued;
        case TransitionReason::released:
        case TransitionReason::not_served:
        case TransitionReason::interrupted:
        case TransitionReason::fell_due:
        case TransitionReason::fired:
        case TransitionReason::postponed:
        case TransitionReason::suspended:
        case TransitionReason::activated:
            return std::nullopt;
    }
    return std::nullopt;
}

std::optional<JobLogLevel> job_log_level_of(std::string_view name) {
    return word_of<JobLogLevel>(name, kJobLogLevels);
}

bool is_logged(JobEvent event, JobLogLevel level) {
    switch (event) {
        case JobEvent::failed:
        case JobEvent::deleted:
        case JobEvent::dead:
        case JobEvent::interrupted:
            return level != JobLogLevel::none;
        case JobEvent::created:
        case JobEvent::succeeded:
        case JobEvent::requeued:
            return level == JobLogLevel::full;
    }
    return false;
}

bool is_incident(TransitionReason reason) {
    return reason != TransitionReason::cancelled;
}

namespace {

/// Where the last `count` lines of a text begin.
std::size_t start_of_last_lines(std::string_view text, std::size_t count) {
    std::size_t start = text.ends_with('\n') ? text.size() - 1 : text.size();
    for (; count > 0 && start != std::string_view::npos; --count) {
        start = start == 0 ? std::string_view::npos : text.rfind('\n', start - 1);
    }
    return start == std::string_view::npos ? 0 : start + 1;
}

}  // namespace

void RunNews::set_note(std::string_view text) {
    note = first_characters(text, kNoteLength);
}

void RunNews::add_text(std::string_view text) {
    // A character may come in two pieces: it is looked at when it is whole.
    lines.append(text.size() > kBytesOfLines ? text.substr(text.size() - kBytesOfLines) : text);
    if (lines.size() > kBytesOfLines) {
        lines.erase(0, lines.size() - kBytesOfLines);
    }
    lines.erase(0, start_of_last_lines(lines, kLines));
}

std::string RunNews::last_word() const {
    if (!note.empty()) {
        return note;
    }
    constexpr std::string_view kBlank = " \t\r\n";
    const std::string_view text = lines;
    const std::size_t end = text.find_last_not_of(kBlank);
    if (end == std::string_view::npos) {
        return {};
    }
    const std::size_t before = text.find_last_of('\n', end);
    const std::size_t start = before == std::string_view::npos ? 0 : before + 1;
    return first_characters(text.substr(start, end + 1 - start), kNoteLength);
}

}  // namespace schema

}  // namespace jobstrand
