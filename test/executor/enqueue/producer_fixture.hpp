#pragma once

#include "executor/enqueue/job_producer.hpp"
#include "persistence/store/sql_store.hpp"
#include "schema/clock.hpp"
#include "test/fixtures/recording_intake.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/sqlite_file.hpp"
#include "timers/series/series_planner.hpp"

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

namespace jobstrand::executor {

/// A producer on a SQLite file, with an executor that only writes down what it is handed.
class ProducerTest : public testing::Test {
protected:
    /// Both faces that `an_app_transaction` and the tests look through.
    persistence::SqlStore& store() { return sql_store_; }

    /// The name of the place in which a job stands; "nowhere".
    std::string place_of(std::string_view id) {
        const auto found = sql_store_.jobs().find(id);
        return found ? std::string(schema::name_of(found->place)) : "nowhere";
    }

    /// The job, which must be there.
    schema::Job job(std::string_view id) { return sql_store_.jobs().find(id).value().job; }

    std::int64_t count(schema::JobPlace place) { return sql_store_.jobs().count(place, {}); }

    schema::ManualClock clock_;
    test::RecordingIntake intake_;
    test::RecordingLog log_;
    WakeUps wake_ups_;

private:
    const test::SqliteFile file_;
    const std::unique_ptr<persistence::SessionPool> pool_ = file_.open_pool();
    const timers::SeriesPlanner schedule_;
    persistence::SqlStore sql_store_{*pool_, log_, schedule_};

protected:
    JobProducer producer_{{sql_store_.enqueuer(), intake_, clock_, wake_ups_}, {}};
};

}  // namespace jobstrand::executor
