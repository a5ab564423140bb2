#include "tools/jobstrand/commands/series/group_listing.hpp"

#include "tools/jobstrand/output/time_field.hpp"

#include <vector>

namespace jobstrand::cli {

namespace {

const std::vector<TableColumn>& group_columns() {
    static const std::vector<TableColumn> all{
        {.field = "id", .heading = "GROUP", .width_max = 64},
        {.field = "series", .heading = "SERIES", .rank = 2},
        {.field = "paused", .heading = "PAUSED", .rank = 1},
        {.field = "pausedSince", .heading = "SINCE", .is_optional = true, .rank = 3},
    };
    return all;
}

}  // namespace

ExitCode list_groups(Session& session, const GroupListOptions&) {
    RecordWriter writer(session.streams().out, session.format(), group_columns(), session.style());
    for (const auto& [name, group] : session.series().groups()) {
        writer.add({
            text_field("id", name),
            number_field("series", group.series),
            flag_field("paused", group.paused_since.has_value()),
            time_field("pausedSince", group.paused_since),
        });
    }
    writer.finish();
    return ExitCode::done;
}

}  // namespace jobstrand::cli
