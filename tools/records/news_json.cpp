#include "tools/records/news_json.hpp"

#include "tools/output/time_field.hpp"
#include "tools/text/json_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

namespace {

using persistence::ToldRun;
using schema::JobPlace;

[[nodiscard]] std::string progress_json(const ToldRun& run) {
    return run.news.progress ? fmt::format("{}", *run.news.progress) : "null";
}

[[nodiscard]] std::string lines_json(std::string_view text) {
    std::vector<std::string> lines;
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        lines.push_back(json_string(text.substr(0, end)));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    }
    return fmt::format("[{}]", fmt::join(lines, ","));
}

/// `40 %: page 4 of 10`, and the lines.
[[nodiscard]] std::string in_words(const schema::RunNews& news) {
    std::string words = news.progress ? fmt::format("{:.0f} %", *news.progress * 100) : "";
    if (!news.note.empty()) {
        words += (words.empty() ? "" : ": ") + news.note;
    }
    if (!news.lines.empty()) {
        words += (words.empty() ? "" : "\n") + news.lines;
    }
    return words;
}

}  // namespace

std::optional<RecordField>
news_field(persistence::RunNewsStore& store, const schema::PlacedJob& placed) {
    const schema::Job& job = placed.job;
    const bool may_run =
        placed.place == JobPlace::executable || placed.place == JobPlace::external_worker;
    if (!may_run || job.lock_owner.empty()) {
        return std::nullopt;
    }
    const std::vector<ToldRun> told = store.run_news(std::array{job.id}, 1);
    if (told.empty() || told.front().owner != job.lock_owner ||
        told.front().revision != job.revision) {
        return std::nullopt;
    }
    const ToldRun& run = told.front();
    return RecordField{
        .name = "news",
        .json = fmt::format(
            R"({{"progress":{},"note":{},"told":{},"lines":{}}})",
            progress_json(run),
            text_or_null_field("note", run.news.note).json,
            time_field("told", run.told).json,
            lines_json(run.news.lines)
        ),
        .text = in_words(run.news)};
}

std::string told_json(const ToldRun& run) {
    return json_of(Record{
        text_field("id", run.job),
        text_field("handlerType", run.handler_type),
        {.name = "progress", .json = progress_json(run), .text = {}, .is_number = true},
        text_or_null_field("note", run.news.note),
        time_field("told", run.told),
    });
}

}  // namespace jobstrand::cli
