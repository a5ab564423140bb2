#include "tools/jobstrand/commands/item_report.hpp"

#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

using persistence::JobAnswer;

[[nodiscard]] std::string_view heading_of(std::string_view field) {
    return field == "series" ? "SERIES" : field == "calendar" ? "CALENDAR" : "ID";
}

[[nodiscard]] std::vector<TableColumn> columns_of(const ItemWords& words) {
    std::vector<TableColumn> columns{
        {.field = words.field, .heading = heading_of(words.field), .width_max = 64},
        {.field = "answer", .heading = "ANSWER"},
    };
    if (!words.detail.empty()) {
        columns.push_back({.field = words.detail, .heading = "JOB", .width_max = 64});
    }
    return columns;
}

}  // namespace

ItemReport::ItemReport(Session& session, const ItemWords& words)
    : session_(session),
      words_(words),
      columns_(columns_of(words)),
      writer_(session.streams().out, session.format(), columns_) {}

void ItemReport::done(const std::string& id, const std::string& detail) {
    ++done_;
    add(id, words_.done, detail);
}

void ItemReport::skipped(const std::string& id, const std::string& why) {
    ++done_;
    session_.tell(fmt::format("jobstrand: {}: skipped", why));
    add(id, "skipped");
}

void ItemReport::not_found(const std::string& id, const std::string& why) {
    ++not_found_;
    session_.tell("jobstrand: " + why);
    add(id, "not found");
}

void ItemReport::refused(const std::string& id, const std::string& why) {
    ++refused_;
    session_.tell("jobstrand: " + why);
    add(id, "refused");
}

void ItemReport::add(const std::string& id, std::string_view answer, const std::string& detail) {
    // Format `name` is for the next command in a pipe: only what was done goes on.
    if (session_.format() == OutputFormat::name && answer != words_.done) {
        return;
    }
    Record record{text_field(words_.field, id), text_field("answer", answer)};
    if (!words_.detail.empty()) {
        record.push_back(text_or_null_field(words_.detail, detail));
    }
    writer_.add(record);
}

ExitCode ItemReport::finish() {
    writer_.finish();
    if (not_found_ + refused_ == 0) {
        return ExitCode::done;
    }
    if (done_ > 0) {
        return ExitCode::partly_done;
    }
    return refused_ > 0 ? ExitCode::refused : ExitCode::not_found;
}

ExitCode for_each_id(
    Session& session,
    const std::vector<std::string>& ids,
    std::string_view done_word,
    const std::function<JobAnswer(const std::string& id)>& operation,
    const std::function<std::string(const std::string& id)>& why_refused
) {
    ItemReport report(session, {.done = done_word});
    for (const std::string& id : ids) {
        if (const std::string why = why_refused ? why_refused(id) : ""; !why.empty()) {
            report.refused(id, why);
            continue;
        }
        switch (operation(id)) {
            case JobAnswer::done:
                report.done(id);
                break;
            case JobAnswer::not_found:
                report.not_found(id, why_not_found(session, id));
                break;
            case JobAnswer::locked:
                report.refused(id, fmt::format("a node holds job {}: try again later", id));
                break;
        }
    }
    return report.finish();
}

std::string why_not_found(Session& session, const std::string& id) {
    const auto placed = session.store().find(id);
    const std::string shown = quoted_if_needed(id);
    return placed ? fmt::format("job {} stands in place {}", shown, name_of(placed->place))
                  : fmt::format("there is no job {}", shown);
}

}  // namespace jobstrand::cli
