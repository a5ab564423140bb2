#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/run_news_store.hpp"

namespace jobstrand::persistence {

/// The context must outlive it.
class SqlRunNewsStore final : public RunNewsStore {
public:
    explicit SqlRunNewsStore(const StoreContext& context) : context_(context) {}

    void write_news(std::span<const ToldRun> told, std::span<const ToldRun> ended) override;
    [[nodiscard]] std::vector<ToldRun>
    run_news(std::span<const std::string> jobs, std::size_t limit) override;
    void forget_news(schema::TimePoint before) override;

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
