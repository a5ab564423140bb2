#pragma once

#include "persistence/migration/schema_migration.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/store/sql_store.hpp"
#include "schema/job_transition.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/persistence/adapter_test.hpp"
#include "timers/series/series_planner.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace jobstrand::test {

/// How Flowable 6 to 8 create their tables.
struct FlowablesTypes {
    std::string_view time;
    std::string_view bytes;
    std::string_view generated;
    std::string_view options;  ///< Behind each table.
};

/// A database of Flowable, and a store on it.
class FlowablesTables : public AdapterTest {
protected:
    /// As Flowable leaves it; take_over() completes it.
    void prepare() override;

    void take_over();
    schema::Job acquire();
    void apply(const schema::Job& job, const schema::Transition& transition);
    void fail(const schema::Job& job, std::string details);

    const schema::TimePoint now_{std::chrono::milliseconds(1'767'225'600'000)};
    RecordingLog log_;
    persistence::SessionPool pool_{
        [this](persistence::SessionPool::Access) { return connect(); },
        {.writers = 1, .readers = 0},
        std::chrono::seconds(10)};
    const timers::SeriesPlanner schedule_;
    persistence::SqlStore sql_store_{pool_, log_, schedule_};
    persistence::SqlStore& store_ = sql_store_;
};

}  // namespace jobstrand::test
