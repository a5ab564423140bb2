#pragma once

#include "persistence/enqueuer_store.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/series_store.hpp"
#include "persistence/sql/transaction.hpp"
#include "schema/job.hpp"
#include "schema/series/series.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

/// What is done with whole series and with calendars; see SeriesStore for what is promised.
namespace jobstrand::persistence {

std::vector<schema::PlacedJob> create_series(
    const StoreContext& context,
    Transaction& transaction,
    std::vector<NewSeries> series,
    schema::TimePoint now
);

/// In a transaction of its own.
std::vector<schema::PlacedJob>
create_series(const StoreContext& context, std::vector<NewSeries> series, schema::TimePoint now);

[[nodiscard]] std::vector<SeriesSummary> list_series(
    const StoreContext& context,
    const SeriesFilter& filter,
    std::string_view after,
    std::size_t limit
);

[[nodiscard]] std::map<std::string, std::int64_t> count_groups(const StoreContext& context);

[[nodiscard]] std::optional<SeriesSummary>
find_series(const StoreContext& context, std::string_view key);

[[nodiscard]] SeriesAnswer
reschedule_series(const StoreContext& context, const schema::Series& times, schema::TimePoint now);

[[nodiscard]] std::optional<std::string>
fire_series(const StoreContext& context, std::string_view key, schema::TimePoint now);

[[nodiscard]] std::vector<std::string>
series_without_turn(const StoreContext& context, std::string_view up_to, std::size_t limit);

[[nodiscard]] std::optional<std::string>
restore_turn(const StoreContext& context, std::string_view key, schema::TimePoint now);

[[nodiscard]] SeriesAnswer
end_series(const StoreContext& context, std::string_view key, schema::TimePoint now);

[[nodiscard]] SeriesAnswer remove_series(const StoreContext& context, std::string_view key);

std::size_t
put_calendar(const StoreContext& context, const StoredCalendar& calendar, schema::TimePoint now);

[[nodiscard]] std::vector<StoredCalendar> list_calendars(const StoreContext& context);

[[nodiscard]] CalendarAnswer remove_calendar(const StoreContext& context, std::string_view name);

}  // namespace jobstrand::persistence
