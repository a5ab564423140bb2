#include "tools/operations/dead/dead_export.hpp"

#include "tools/parameters/item_report.hpp"
#include "tools/records/copy_json.hpp"
#include "tools/text/terminal_text.hpp"

namespace jobstrand::cli {

using deadletter::BulkCounts;
using deadletter::BulkWatch;

ExitCode export_dead(Session& session, const DeadBulkOptions& options) {
    if (session.format() != OutputFormat::table && session.format() != OutputFormat::jsonl) {
        throw CliError(ExitCode::wrong_usage, "dead export writes JSON lines: leave -o out");
    }
    const auto selection = dead_selection_of(session, options);
    const auto write = [&](const persistence::DeadLetterCopy& copy) {
        session.streams().out << json_of(record_of_copy(copy)) << '\n';
    };
    const BulkCounts counts = with_progress(session, "exported", [&](BulkWatch watch) {
        watch.on_item = [&](const deadletter::ItemResult& item) {
            if (item.answer != deadletter::ItemAnswer::done && named_in(selection) != nullptr) {
                session.tell("there is no dead letter " + quoted_if_needed(item.id));
            }
        };
        return session.dead_letters().copy(selection, write, watch);
    });
    if (named_in(selection) == nullptr || counts.not_found == 0) {
        return ExitCode::done;
    }
    return counts.done > 0 ? ExitCode::partly_done : ExitCode::not_found;
}

}  // namespace jobstrand::cli
