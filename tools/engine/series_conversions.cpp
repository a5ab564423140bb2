#include "tools/engine/conversions.hpp"

#include <utility>

namespace jobstrand {

std::string_view name_of(SeriesState state) {
    return persistence::name_of(engine::condition_of(state));
}

namespace engine {

namespace {

/// Calls `use` with each field that the public series and ours have in common.
template <typename Use>
void for_each_shared_field(const Use& use) {
    use(&NewSeries::key, &schema::Series::key);
    use(&NewSeries::group, &schema::Series::group);
    use(&NewSeries::description, &schema::Series::description);
    use(&NewSeries::repeat, &schema::Series::repeat);
    use(&NewSeries::zone, &schema::Series::zone);
    use(&NewSeries::dst_rule, &schema::Series::dst_rule);
    use(&NewSeries::calendar, &schema::Series::calendar);
    use(&NewSeries::misfire, &schema::Series::misfire);
    use(&NewSeries::misfire_threshold, &schema::Series::misfire_threshold);
    use(&NewSeries::start, &schema::Series::start);
    use(&NewSeries::end, &schema::Series::end);
    use(&NewSeries::overlap, &schema::Series::overlap);
    use(&NewSeries::keep_data, &schema::Series::keep_data);
    use(&NewSeries::recovery, &schema::Series::recovery);
    use(&NewSeries::stop_on_dead_letter, &schema::Series::stop_on_dead_letter);
}

}  // namespace

schema::Series series_of(NewSeries series) {
    schema::Series ours;
    for_each_shared_field([&](auto face, auto member) { ours.*member = std::move(series.*face); });
    return ours;
}

StoredSeries to_public(persistence::SeriesSummary summary) {
    schema::Series& ours = summary.series;
    StoredSeries stored;
    for_each_shared_field([&](auto face, auto member) { stored.*face = std::move(ours.*member); });
    stored.turn.handler_type = std::move(ours.handler_type);
    stored.turn.retries = ours.retries;
    stored.turn.due_date = ours.next_fire;
    stored.state = to_public(summary.condition);
    stored.turn_id = std::move(ours.turn_id);
    stored.fired = ours.fire_count;
    stored.last_turn = ours.previous_fire;
    stored.create_time = ours.create_time;
    stored.complaint = std::move(summary.complaint);
    return stored;
}

}  // namespace engine

}  // namespace jobstrand
