#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/store/sql_store.hpp"
#include "schema/text/time_text.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/persistence/adapter_test.hpp"
#include "test/persistence/migration/schema_differences.hpp"
#include "timers/series/series_planner.hpp"

#include <gmock/gmock.h>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using persistence::have_times_an_early_end;
using persistence::make_times_last;
using persistence::SessionPool;
using schema::JobPlace;
using testing::Contains;
using testing::HasSubstr;
using testing::IsEmpty;

/// Times on MySQL before and after `schema upgrade --datetime`.
class MysqlDatetimes : public AdapterTest {
protected:
    void prepare() override { persistence::upgrade_schema(*connection_); }

    /// As the command does it; the connection is a new one afterwards.
    void upgrade() {
        EXPECT_TRUE(make_times_last(*connection_));
        connection_ = connect();
    }

    /// A due date as a store keeps it.
    std::optional<schema::TimePoint> stored(schema::TimePoint due) {
        schema::SilentLog log;
        SessionPool pool(
            [this](SessionPool::Access) { return connect(); }, {.writers = 1, .readers = 0}, 10s
        );
        const timers::SeriesPlanner schedule;
        persistence::SqlStore store(pool, log, schedule);
        store.enqueuer().insert(
            {{JobPlace::timer, a_job("late").due_at(due)}}, persistence::IdOrigin::given
        );
        return store.jobs().find("late").value().job.due_date;
    }

    [[nodiscard]] std::vector<std::string> types_of_times() {
        return texts_of(
            "SELECT DISTINCT column_type FROM information_schema.columns WHERE "
            "table_schema = DATABASE() AND data_type IN ('timestamp', 'datetime')"
        );
    }

    const schema::TimePoint in_2040_ = schema::parse_instant("2040-02-29T12:00:00.123Z").value();
};

INSTANTIATE_TEST_SUITE_P(OnMysql, MysqlDatetimes, testing::Values("mysql"), name_of_database);

TEST_P(MysqlDatetimes, Are_offered_by_the_check_and_come_by_command_only) {
    EXPECT_TRUE(have_times_an_early_end(*connection_));
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
    EXPECT_THAT(
        remarks_of(*connection_),
        testing::ElementsAre(
            "times end at 2038-01-19T03:14:07.999Z: `jobstrand schema upgrade --datetime` gives "
            "them a type that lasts"
        )
    );
    EXPECT_EQ(types_of_times(), std::vector<std::string>{"timestamp(3)"});
    EXPECT_THROW((void)stored(in_2040_), std::invalid_argument);
}

TEST_P(MysqlDatetimes, Hold_due_dates_behind_2038) {
    upgrade();
    EXPECT_FALSE(have_times_an_early_end(*connection_));
    EXPECT_FALSE(make_times_last(*connection_));
    EXPECT_EQ(types_of_times(), std::vector<std::string>{"datetime(3)"});
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
    EXPECT_THAT(remarks_of(*connection_), IsEmpty());
    EXPECT_EQ(stored(in_2040_), in_2040_);
}

TEST_P(MysqlDatetimes, Hold_the_last_instant_of_all) {
    upgrade();
    const schema::TimePoint last = connection_->dialect().latest_time;
    EXPECT_EQ(last, schema::kLatestInstant);
    EXPECT_EQ(stored(last), last);
}

TEST_P(MysqlDatetimes, Keep_the_times_that_were_there) {
    execute(
        "INSERT INTO ACT_RU_TIMER_JOB (ID_, DUEDATE_, CREATE_TIME_) VALUES "
        "('a', '2030-06-01 09:00:00.123', '2026-03-29 01:30:00.5')"
    );
    execute("INSERT INTO JS_SUSPENSION (SCOPE_, ID_) VALUES ('instance', 'i')");
    const std::string since = text_of("SELECT SINCE_ FROM JS_SUSPENSION");
    upgrade();
    EXPECT_EQ(
        text_of("SELECT CAST(DUEDATE_ AS char) FROM ACT_RU_TIMER_JOB"), "2030-06-01 09:00:00.123"
    );
    EXPECT_EQ(
        text_of("SELECT CAST(CREATE_TIME_ AS char) FROM ACT_RU_TIMER_JOB"),
        "2026-03-29 01:30:00.500"
    );
    EXPECT_EQ(text_of("SELECT SINCE_ FROM JS_SUSPENSION"), since);
}

TEST_P(MysqlDatetimes, Have_a_default_in_utc_whatever_the_zone_of_the_session_is) {
    upgrade();
    connection_->run_script("SET time_zone = '+05:00'");
    execute("INSERT INTO ACT_RU_JOB (ID_) VALUES ('a')");
    EXPECT_EQ(
        text_of("SELECT ABS(TIMESTAMPDIFF(SECOND, CREATE_TIME_, UTC_TIMESTAMP())) < 60 FROM "
                "ACT_RU_JOB"),
        "1"
    );
}

TEST_P(MysqlDatetimes, That_were_interrupted_go_on) {
    // The executable jobs come last: by them a connection tells what it has before it.
    connection_->run_script("ALTER TABLE JS_SERIES MODIFY COLUMN START_ datetime(3) NULL");
    connection_ = connect();
    EXPECT_TRUE(have_times_an_early_end(*connection_));
    upgrade();
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

TEST_P(MysqlDatetimes, Are_what_later_tables_and_columns_get_too) {
    upgrade();
    connection_->run_script("DROP TABLE JS_SERIES");
    execute("UPDATE ACT_GE_PROPERTY SET VALUE_ = '1'");
    persistence::upgrade_schema(*connection_);
    EXPECT_EQ(types_of_times(), std::vector<std::string>{"datetime(3)"});
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
}

}  // namespace

}  // namespace jobstrand::test
