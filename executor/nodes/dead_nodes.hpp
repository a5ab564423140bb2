#pragma once

#include "executor/loop/activity.hpp"
#include "executor/loop/wake_ups.hpp"
#include "persistence/executor_store.hpp"
#include "persistence/node_store.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>

namespace jobstrand::executor {

/// Finds nodes that do not renew their leases any more, and frees their jobs (I2). To find those in
/// a long backlog may take longer than a lease, so this is no work for who renews the own one. It
/// sleeps until it is asked.
///
/// Thread safety: look() is safe; one pass at a time. Everything passed in must outlive it.
class DeadNodes final : public Activity {
public:
    struct Dependencies {
        persistence::NodeStore& nodes;
        persistence::ExecutorStore& jobs;
        const schema::Clock& clock;
        const WakeUps& wake_ups;
        schema::Log& log;
    };

    /// `node` is this one, and `patience` how long it leaves others to the first that lives.
    DeadNodes(Dependencies dependencies, std::string node, schema::Duration patience)
        : use_(dependencies), node_(std::move(node)), patience_(patience) {}

    /// Treats every node as dead whose lease had expired by then.
    void look(schema::TimePoint as_of);

    [[nodiscard]] std::string_view name() const noexcept override { return "dead nodes"; }

    /// What it did not free, because it throws, is freed when its locks expire.
    [[nodiscard]] schema::Duration run_once() override;

    /// How many it has found since it began. From any thread.
    [[nodiscard]] std::uint64_t found() const { return found_; }

private:
    void end_leases(schema::TimePoint as_of);
    [[nodiscard]] std::int64_t free_jobs_of(std::span<const std::string> nodes);

    const Dependencies use_;
    const std::string node_;
    const schema::Duration patience_;
    std::atomic<std::uint64_t> found_{0};

    // Guarded by mutex_.
    std::mutex mutex_;
    std::optional<schema::TimePoint> asked_;
};

}  // namespace jobstrand::executor
