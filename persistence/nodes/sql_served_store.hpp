#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/served_store.hpp"

namespace jobstrand::persistence {

/// The context must outlive it.
class SqlServedStore final : public ServedStore {
public:
    explicit SqlServedStore(const StoreContext& context) : context_(context) {}

    [[nodiscard]] Lack lacking(const JobKind& kind, schema::TimePoint now) override;
    [[nodiscard]] std::vector<UnservedJobs> unserved(schema::TimePoint now, std::size_t rows)
        override;

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
