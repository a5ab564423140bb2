#include "persistence/rows/due_date_range.hpp"

#include "schema/text/iso8601.hpp"

#include <fmt/format.h>

#include <stdexcept>

namespace jobstrand::persistence {

void require_storable(std::optional<schema::TimePoint> due_date, const Dialect& dialect) {
    const schema::TimePoint last = dialect.latest_time;
    if (due_date && *due_date > last) {
        throw std::invalid_argument(fmt::format(
            "the due date {} is after {}, the last that {} holds",
            schema::format_instant(*due_date),
            schema::format_instant(last),
            dialect.name
        ));
    }
}

}  // namespace jobstrand::persistence
