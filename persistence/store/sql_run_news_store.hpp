#pragma once

#include "persistence/nodes/run_news.hpp"
#include "persistence/rows/store_context.hpp"
#include "persistence/run_news_store.hpp"

namespace jobstrand::persistence {

/// The role of the store that knows what runs tell of themselves: it only forwards to nodes/. The
/// context must outlive it.
class SqlRunNewsStore final : public RunNewsStore {
public:
    explicit SqlRunNewsStore(const StoreContext& context) : context_(context) {}

    void write_news(std::span<const ToldRun> told, std::span<const ToldRun> ended) override {
        write_run_news(context_, told, ended);
    }
    [[nodiscard]] std::vector<ToldRun>
    run_news(std::span<const std::string> jobs, std::size_t limit) override {
        return read_run_news(context_, jobs, limit);
    }
    void forget_news(schema::TimePoint before) override { forget_run_news(context_, before); }

private:
    const StoreContext& context_;
};

}  // namespace jobstrand::persistence
