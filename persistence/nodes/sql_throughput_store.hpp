#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/throughput_store.hpp"

namespace jobstrand::persistence {

/// The context must outlive it.
class SqlThroughputStore final : public ThroughputStore {
public:
    explicit SqlThroughputStore(const StoreContext& context) : context_(context) {}

    void add_throughput(std::string_view node, std::span<const schema::ThroughputSpan> spans)
        override;
    [[nodiscard]] std::vector<SpanSums> throughput(const SpanSearch& search) override;
    [[nodiscard]] schema::Throughput throughput_by_type(const SpanSearch& search) override;
    bool forget_throughput(schema::Duration length, schema::TimePoint before) override;

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
