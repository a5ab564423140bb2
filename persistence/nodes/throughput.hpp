#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/throughput_store.hpp"

#include <span>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

// See ThroughputStore.
void write_throughput(
    const StoreContext& context,
    std::string_view node,
    std::span<const schema::ThroughputSpan> spans
);
[[nodiscard]] std::vector<SpanSums>
read_throughput(const StoreContext& context, const SpanSearch& search);
[[nodiscard]] schema::Throughput
read_throughput_by_type(const StoreContext& context, const SpanSearch& search);
[[nodiscard]] bool
forget_spans(const StoreContext& context, schema::Duration length, schema::TimePoint before);

}  // namespace jobstrand::persistence
