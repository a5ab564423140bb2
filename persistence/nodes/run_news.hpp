#pragma once

#include "persistence/rows/store_context.hpp"
#include "persistence/run_news_store.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <vector>

/// What runs tell; see RunNewsStore for what is promised.
namespace jobstrand::persistence {

void write_run_news(
    const StoreContext& context,
    std::span<const ToldRun> told,
    std::span<const ToldRun> ended
);

[[nodiscard]] std::vector<ToldRun>
read_run_news(const StoreContext& context, std::span<const std::string> jobs, std::size_t limit);

void forget_run_news(const StoreContext& context, schema::TimePoint before);

}  // namespace jobstrand::persistence
