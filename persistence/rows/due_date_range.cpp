#include "persistence/rows/due_date_range.hpp"

#include "schema/text/iso8601.hpp"

#include <fmt/format.h>

#include <stdexcept>
#include <string_view>

namespace jobstrand::persistence {

void require_storable(std::optional<schema::TimePoint> due_date, const Dialect& dialect) {
    const auto refuse = [&](std::string_view where, schema::TimePoint end, std::string_view which) {
        throw std::invalid_argument(fmt::format(
            "the due date {} is {} {}, the {} that {} holds",
            schema::format_instant(*due_date),
            where,
            schema::format_instant(end),
            which,
            dialect.name
        ));
    };
    if (due_date && *due_date < dialect.earliest_time) {
        refuse("before", dialect.earliest_time, "first");
    }
    if (due_date && *due_date > dialect.latest_time) {
        refuse("after", dialect.latest_time, "last");
    }
}

}  // namespace jobstrand::persistence
