#include "tools/output/time_field.hpp"

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
    if (zone != timers::Zone::utc()) {
        return text_field(name, zone.format(*time));
    }
    RecordField field = text_field(name, schema::format_instant(*time));
    field.time = time;
    return field;
}

}  // namespace jobstrand::cli
