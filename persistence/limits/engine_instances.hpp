#pragma once

#include "persistence/engine_store.hpp"
#include "persistence/rows/store_context.hpp"

namespace jobstrand::persistence {

/// The context must outlive it.
class SqlEngineStore final : public EngineStore {
public:
    explicit SqlEngineStore(const StoreContext& context) : context_(context) {}

    [[nodiscard]] bool has_engine() override;
    [[nodiscard]] std::optional<schema::TimePoint> last_engine_job() override;
    [[nodiscard]] bool take_instance(const InstanceClaim& claim) override;
    void free_instance(std::string_view instance, std::string_view owner) override;

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
