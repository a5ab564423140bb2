#include "tools/jobstrand/output/time_field.hpp"

#include "schema/text/iso8601.hpp"

namespace jobstrand::cli {

RecordField time_field(
    std::string_view name,
    const std::optional<schema::TimePoint>& time,
    const timers::Zone& zone
) {
    if (!time) {
        return text_or_null_field(name, {});
    }
    const bool is_utc = zone == timers::Zone::utc();
    return text_field(name, is_utc ? schema::format_instant(*time) : zone.format(*time));
}

}  // namespace jobstrand::cli
