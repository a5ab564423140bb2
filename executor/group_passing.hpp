#pragma once

#include "executor/executor_settings.hpp"
#include "executor/loop/activity.hpp"
#include "executor/loop/job_intake.hpp"
#include "executor/pool/group_order.hpp"
#include "persistence/executor_store.hpp"
#include "schema/clock.hpp"

#include <string_view>

namespace jobstrand::executor {

/// Passes groups of exclusive jobs on of which this executor holds none any more: takes those that
/// wait for it, or frees the group. When it has no room it frees what waits too, for nodes with
/// idle workers. It sleeps until a group has ended.
///
/// Thread safety: none; it belongs to the loop's strand, or to who has stopped it.
class GroupPassing final : public Activity {
public:
    struct Dependencies {
        persistence::ExecutorStore& store;
        GroupOrder& order;
        JobIntake& intake;
        const schema::Clock& clock;
    };

    GroupPassing(const Dependencies& use, const ExecutorSettings& settings)
        : use_(use), page_bytes_(settings.acquire_page_bytes) {}

    [[nodiscard]] std::string_view name() const noexcept override { return "exclusive groups"; }
    [[nodiscard]] schema::Duration run_once() override;

private:
    const Dependencies use_;
    const std::size_t page_bytes_;
};

}  // namespace jobstrand::executor
