#include "tools/jobstrand/commands/series/group_listing.hpp"

#include "tools/jobstrand/commands/series/series_listing.hpp"
#include "tools/jobstrand/output/time_field.hpp"

#include <map>
#include <optional>
#include <string>

namespace jobstrand::cli {

namespace {

struct Group {
    std::int64_t series = 0;
    std::optional<schema::TimePoint> paused_since;  ///< nullopt: it is not paused.
};

using Groups = std::map<std::string, Group>;

const std::vector<TableColumn>& columns() {
    static const std::vector<TableColumn> all{
        {.field = "id", .heading = "GROUP", .width_max = 64},
        {.field = "series", .heading = "SERIES"},
        {.field = "paused", .heading = "PAUSED"},
        {.field = "pausedSince", .heading = "SINCE", .is_optional = true},
    };
    return all;
}

[[nodiscard]] Groups find_groups(Session& session) {
    Groups groups;
    for_each_series(session, {}, [&groups](const persistence::SeriesSummary& summary) {
        if (summary.condition != persistence::SeriesCondition::ended) {
            ++groups[summary.series.group].series;
        }
    });
    using persistence::SuspensionScope;
    for (const auto& paused : session.suspension_desk().suspensions(SuspensionScope::timer_group)) {
        groups[paused.id].paused_since = paused.since;
    }
    return groups;
}

}  // namespace

ExitCode list_groups(Session& session, const GroupListOptions&) {
    RecordWriter writer(session.streams().out, session.format(), columns());
    for (const auto& [name, group] : find_groups(session)) {
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
