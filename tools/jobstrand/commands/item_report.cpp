#include "tools/jobstrand/commands/item_report.hpp"

#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

namespace jobstrand::cli {

namespace {

using persistence::Answer;

const std::vector<TableColumn>& columns() {
    static const std::vector<TableColumn> both{
        {.field = "id", .heading = "ID", .width_max = 64},
        {.field = "answer", .heading = "ANSWER"},
    };
    return both;
}

}  // namespace

ItemReport::ItemReport(Session& session, std::string_view done_word)
    : session_(session),
      done_word_(done_word),
      writer_(session.streams().out, session.format(), columns()) {}

void ItemReport::done(const std::string& id) {
    ++done_;
    add(id, done_word_);
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

void ItemReport::add(const std::string& id, std::string_view answer) {
    // Format `name` is for the next command in a pipe: only what was done goes on.
    if (session_.format() == OutputFormat::name && answer != done_word_) {
        return;
    }
    writer_.add({text_field("id", id), text_field("answer", answer)});
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
    const std::function<Answer(const std::string& id)>& operation
) {
    ItemReport report(session, done_word);
    for (const std::string& id : ids) {
        switch (operation(id)) {
            case Answer::done:
                report.done(id);
                break;
            case Answer::not_found:
                report.not_found(id, why_not_found(session, id));
                break;
            case Answer::locked:
                report.refused(id, fmt::format("a node holds job {}: try again later", id));
                break;
            case Answer::lost_lock:
                report.refused(id, fmt::format("job {} was changed meanwhile: try again", id));
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
