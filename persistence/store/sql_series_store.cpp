#include "persistence/series/series_operations.hpp"
#include "persistence/store/sql_store.hpp"

#include <utility>

namespace jobstrand::persistence {

using schema::PlacedJob;
using schema::TimePoint;

std::vector<PlacedJob>
SqlStore::create(Transaction& transaction, std::vector<NewSeries> series, TimePoint now) {
    return create_series(context_, transaction, std::move(series), now);
}

std::vector<PlacedJob> SqlStore::create(std::vector<NewSeries> series, TimePoint now) {
    return create_series(context_, std::move(series), now);
}

std::vector<SeriesSummary>
SqlStore::list_series(const SeriesFilter& filter, std::string_view after, std::size_t limit) {
    return persistence::list_series(context_, filter, after, limit);
}

std::map<std::string, std::int64_t> SqlStore::count_groups() {
    return persistence::count_groups(context_);
}

std::optional<SeriesSummary> SqlStore::find_series(std::string_view key) {
    return persistence::find_series(context_, key);
}

SeriesAnswer SqlStore::reschedule_series(const schema::Series& times, TimePoint now) {
    return persistence::reschedule_series(context_, times, now);
}

std::optional<std::string> SqlStore::fire_series(std::string_view key, TimePoint now) {
    return persistence::fire_series(context_, key, now);
}

std::vector<std::string> SqlStore::series_without_turn(std::string_view up_to, std::size_t limit) {
    return persistence::series_without_turn(context_, up_to, limit);
}

std::optional<std::string> SqlStore::restore_turn(std::string_view key, TimePoint now) {
    return persistence::restore_turn(context_, key, now);
}

SeriesAnswer SqlStore::end_series(std::string_view key, TimePoint now) {
    return persistence::end_series(context_, key, now);
}

SeriesAnswer SqlStore::remove_series(std::string_view key) {
    return persistence::remove_series(context_, key);
}

std::size_t SqlStore::put_calendar(const StoredCalendar& calendar, TimePoint now) {
    return persistence::put_calendar(context_, calendar, now);
}

std::vector<StoredCalendar> SqlStore::calendars() {
    return list_calendars(context_);
}

CalendarAnswer SqlStore::remove_calendar(std::string_view name) {
    return persistence::remove_calendar(context_, name);
}

}  // namespace jobstrand::persistence
