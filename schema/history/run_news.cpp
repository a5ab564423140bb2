#include "schema/history/run_news.hpp"

#include "schema/text/utf8.hpp"

namespace jobstrand::schema {

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

}  // namespace jobstrand::schema
