#include "tools/jobstrand/json/batch_json.hpp"

#include "schema/text/iso8601.hpp"
#include "tools/jobstrand/json/optional_number.hpp"
#include "tools/jobstrand/output/time_field.hpp"

namespace jobstrand::cli {

namespace {

using schema::Batch;
using schema::BatchOrder;

/// The store's lines as one.
[[nodiscard]] std::string shown_selection(const Batch& batch) {
    std::string text;
    for (const char byte : batch.selection) {
        text += byte == '\n' ? std::string("; ") : std::string(1, byte);
    }
    text.resize(text.ends_with("; ") ? text.size() - 2 : text.size());
    return text.empty() ? "all" : text;
}

[[nodiscard]] RecordField rate_of(const BatchOrder& order) {
    return order.per_second > 0 ? number_field("rate", order.per_second)
                                : RecordField{.name = "rate", .json = "null", .text = {}};
}

[[nodiscard]] RecordField spread_of(const BatchOrder& order) {
    const bool is_spread = order.spread > schema::Duration{0};
    return text_or_null_field("spread", is_spread ? schema::format_duration(order.spread) : "");
}

}  // namespace

Record record_of(const Batch& batch) {
    const BatchOrder& order = batch.order;
    return {
        text_field("id", batch.id),
        text_field("operation", name_of(order.operation)),
        text_field("place", schema::name_of(order.place)),
        text_field("state", name_of(batch.state)),
        number_field("total", batch.total),
        number_field("done", batch.done),
        number_field("skipped", batch.skipped),
        number_field("refused", batch.refused),
        text_field("selection", shown_selection(batch)),
        text_or_null_field("group", order.cause),
        number_or_null("retries", order.retries),
        number_or_null("priority", order.priority),
        time_field("dueDate", order.due_date),
        spread_of(order),
        rate_of(order),
        text_or_null_field("who", order.who),
        text_or_null_field("reason", order.reason),
        time_field("createTime", batch.created),
        time_field("endTime", batch.ended),
        text_or_null_field("cursor", batch.cursor),
    };
}

}  // namespace jobstrand::cli
