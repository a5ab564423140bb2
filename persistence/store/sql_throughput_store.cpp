#include "persistence/store/sql_throughput_store.hpp"

#include "persistence/nodes/throughput.hpp"

namespace jobstrand::persistence {

void SqlThroughputStore::add_throughput(
    std::string_view node,
    std::span<const schema::ThroughputSpan> spans
) {
    write_throughput(context_, node, spans);
}

std::vector<SpanSums> SqlThroughputStore::throughput(const SpanSearch& search) {
    return read_throughput(context_, search);
}

schema::Throughput SqlThroughputStore::throughput_by_type(const SpanSearch& search) {
    return read_throughput_by_type(context_, search);
}

bool SqlThroughputStore::forget_throughput(schema::Duration length, schema::TimePoint before) {
    return forget_spans(context_, length, before);
}

}  // namespace jobstrand::persistence
