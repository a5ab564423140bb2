#include "tools/jobstrand/json/limit_json.hpp"

#include "tools/jobstrand/json/optional_number.hpp"

#include <optional>
#include <string_view>

namespace jobstrand::cli {

namespace {

[[nodiscard]] RecordField rate_or_null(const std::optional<schema::StartRate>& rate) {
    if (rate) {
        return text_field("rate", schema::text_of(*rate));
    }
    return {.name = "rate", .json = "null", .text = {}};
}

}  // namespace

Record record_of(const schema::JobLimit& limit) {
    return {
        text_field("limit", schema::name_of(limit)),
        number_or_null("concurrent", limit.concurrent),
        number_or_null("perNode", limit.per_node),
        rate_or_null(limit.rate),
    };
}

Record record_of(const deadletter::LimitSummary& summary) {
    Record record = record_of(summary.limit);
    record.push_back(number_field("running", summary.running));
    record.push_back(number_field("waiting", summary.waiting));
    return record;
}

}  // namespace jobstrand::cli
