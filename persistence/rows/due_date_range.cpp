#include "persistence/rows/due_date_range.hpp"

#include "schema/text/iso8601.hpp"

#include <fmt/format.h>

#include <chrono>
#include <stdexcept>

namespace jobstrand::persistence {

namespace {

using namespace std::chrono_literals;

/// 2038-01-19T03:14:07.999Z: the last millisecond before 2^31 seconds.
constexpr schema::TimePoint kLastOfMysql{2'147'483'647'999ms};

}  // namespace

schema::TimePoint max_due_date(schema::DatabaseKind kind) {
    return kind == schema::DatabaseKind::mysql ? kLastOfMysql : schema::kLatestInstant;
}

void require_storable(std::optional<schema::TimePoint> due_date, schema::DatabaseKind kind) {
    const schema::TimePoint last = max_due_date(kind);
    if (due_date && *due_date > last) {
        throw std::invalid_argument(fmt::format(
            "the due date {} is after {}, the last that {} holds",
            schema::format_instant(*due_date),
            schema::format_instant(last),
            schema::name_of(kind)
        ));
    }
}

}  // namespace jobstrand::persistence
