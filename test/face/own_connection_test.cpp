#include "test/fixtures/sqlite_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/engine.hpp>
#include <jobstrand/on_sqlite.hpp>

#include <chrono>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::HasSubstr;

/// An app with a SQLite connection of its own.
class OwnConnection : public testing::Test {
protected:
    void SetUp() override {
        ASSERT_EQ(sqlite3_open(file_.path().c_str(), &db_), SQLITE_OK);
        run("CREATE TABLE orders (id TEXT)");
    }

    void TearDown() override { sqlite3_close(db_); }

    void run(const char* sql) {
        ASSERT_EQ(sqlite3_exec(db_, sql, nullptr, nullptr, nullptr), SQLITE_OK)
            << sqlite3_errmsg(db_);
    }

    SqliteFile file_;
    Engine engine_{{.database_url = file_.url_text(), .log = nullptr}};
    sqlite3* db_ = nullptr;
};

TEST_F(OwnConnection, A_job_comes_and_goes_with_the_apps_transaction) {
    Enqueuer enqueuer(on_sqlite(db_));
    run("BEGIN IMMEDIATE");
    run("INSERT INTO orders VALUES ('lost')");
    const std::string lost = enqueuer.enqueue({.handler_type = "a"});
    run("ROLLBACK");
    run("BEGIN IMMEDIATE");
    run("INSERT INTO orders VALUES ('kept')");
    const std::string kept = enqueuer.enqueue({.handler_type = "a"});
    run("COMMIT");

    EXPECT_EQ(engine_.find(lost), std::nullopt);
    ASSERT_TRUE(engine_.find(kept));
    EXPECT_EQ(engine_.find(kept)->correlation_id, kept);
}

TEST_F(OwnConnection, All_that_a_job_can_have_is_stored) {
    const TimePoint due = std::chrono::floor<Duration>(std::chrono::system_clock::now()) + 1h;
    const NewJob timer{
        .handler_type = "a",
        .payload = std::string(10'000, 'x'),
        .due_date = due,
        .priority = -3,
        .retries = 7,
        .retry_cycle = "R7/PT1M",
        .correlation_id = "handle",
        .process_instance_id = "instance",
        .root_process_instance_id = "root",
        .process_definition_id = "definition",
        .execution_id = "execution",
        .element_id = "element",
        .element_name = "Name \xF0\x9F\x9A\x80 'quoted' ?",
        .category = "category",
        .tenant_id = "tenant",
        .exclusive = false,
        .id = "timer",
    };
    NewJob plain = timer;
    plain.due_date = {};
    plain.id = "plain";
    NewJob external = plain;
    external.for_external_worker = true;
    external.id = "external";
    run("BEGIN IMMEDIATE");
    EXPECT_THAT(
        Enqueuer(on_sqlite(db_)).enqueue_all({timer, plain, external}),
        ElementsAre("timer", "plain", "external")
    );
    run("COMMIT");

    for (const auto& [job, place] : {
             std::pair{timer, JobPlace::timer},
             std::pair{plain, JobPlace::executable},
             std::pair{external, JobPlace::external_worker},
         }) {
        const std::optional<StoredJob> stored = engine_.find(job.id);
        ASSERT_TRUE(stored) << job.id;
        EXPECT_EQ(static_cast<const NewJob&>(*stored), job) << job.id;
        EXPECT_EQ(stored->place, place) << job.id;
        EXPECT_TRUE(stored->create_time) << job.id;
    }
}

TEST_F(OwnConnection, A_job_that_repeats_waits_for_its_first_turn) {
    run("BEGIN IMMEDIATE");
    const std::string id =
        Enqueuer(on_sqlite(db_)).enqueue({.handler_type = "a", .repeat = "R/PT1H"});
    EXPECT_THROW(
        Enqueuer(on_sqlite(db_)).enqueue({.handler_type = "a", .repeat = "now and then"}),
        std::invalid_argument
    );
    run("COMMIT");
    ASSERT_TRUE(engine_.find(id));
    EXPECT_EQ(engine_.find(id)->place, JobPlace::timer);
    EXPECT_EQ(engine_.find(id)->repeat, "R/PT1H");
    EXPECT_GT(engine_.find(id)->due_date, engine_.now() + 50min);
}

TEST_F(OwnConnection, A_due_date_may_be_any_timer_text_but_for_calendars) {
    run("BEGIN IMMEDIATE");
    Enqueuer enqueuer(on_sqlite(db_));
    const std::string id = enqueuer.enqueue({.handler_type = "a", .due = "in 2 hours"});
    EXPECT_THROW(
        enqueuer.enqueue({.handler_type = "a", .due = "1 business day", .due_calendar = "shop"}),
        std::invalid_argument
    );
    run("COMMIT");
    EXPECT_GT(engine_.find(id)->due_date, engine_.now() + 119min);
}

TEST_F(OwnConnection, An_engine_enqueues_there_as_well) {
    run("BEGIN IMMEDIATE");
    const std::string id = engine_.enqueue(on_sqlite(db_), {.handler_type = "a"});
    run("COMMIT");
    engine_.wake();
    EXPECT_TRUE(engine_.find(id));
}

TEST_F(OwnConnection, What_cannot_be_stored_is_refused_before_anything_is_written) {
    run("BEGIN IMMEDIATE");
    EXPECT_THROW(
        Enqueuer(on_sqlite(db_)).enqueue_all({{.handler_type = "a"}, {.payload = "no type"}}),
        std::invalid_argument
    );
    run("COMMIT");
    EXPECT_EQ(engine_.count(JobPlace::executable), 0);
}

// B8
TEST_F(OwnConnection, A_second_job_with_a_unique_key_is_refused_by_the_key) {
    Enqueuer enqueuer(on_sqlite(db_));
    run("BEGIN IMMEDIATE");
    const std::string first = enqueuer.enqueue({.handler_type = "a", .unique_key = "k"});
    enqueuer.enqueue({.handler_type = "a", .unique_key = "hourly", .unique_for = 1h});
    try {
        enqueuer.enqueue({.handler_type = "a", .unique_key = "k"});
        ADD_FAILURE() << "enqueued twice";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::duplicate_key) << error.what();
    }
    run("COMMIT");
    EXPECT_EQ(engine_.count(JobPlace::executable), 2);
    EXPECT_EQ(engine_.find(first)->unique_key, "k");
    EXPECT_TRUE(engine_.remove(first));
    run("BEGIN IMMEDIATE");
    run("UPDATE JS_UNIQUE SET UNTIL_ = '2001-01-01 00:00:00.000' WHERE KEY_ = 'hourly'");
    EXPECT_NO_THROW(enqueuer.enqueue({.handler_type = "a", .unique_key = "k"}));
    EXPECT_NO_THROW(enqueuer.enqueue({.handler_type = "a", .unique_key = "hourly"}));
    run("COMMIT");
    EXPECT_EQ(engine_.count(JobPlace::executable), 3);
}

TEST_F(OwnConnection, What_needs_to_know_who_has_the_key_is_left_to_an_engine) {
    Enqueuer enqueuer(on_sqlite(db_));
    run("BEGIN IMMEDIATE");
    for (const OnDuplicate rule : {OnDuplicate::keep, OnDuplicate::replace}) {
        try {
            enqueuer.enqueue({.handler_type = "a", .unique_key = "k", .on_duplicate = rule});
            ADD_FAILURE() << "it was enqueued";
        } catch (const std::invalid_argument& error) {
            EXPECT_THAT(error.what(), HasSubstr("enqueue with an Engine"));
        }
    }
    EXPECT_THROW(
        enqueuer.enqueue({.handler_type = "a", .unique_key = "k", .unique_for = 0ms}),
        std::invalid_argument
    );
    run("ROLLBACK");
}

TEST_F(OwnConnection, Without_a_transaction_it_says_to_begin_one) {
    try {
        Enqueuer(on_sqlite(db_)).enqueue({.handler_type = "a"});
        ADD_FAILURE() << "it was enqueued";
    } catch (const std::logic_error& error) {
        EXPECT_THAT(error.what(), HasSubstr("begin one"));
    }
}

TEST_F(OwnConnection, Errors_of_the_connection_have_the_kind_of_the_database) {
    run("BEGIN IMMEDIATE");
    Enqueuer enqueuer(on_sqlite(db_));
    enqueuer.enqueue({.handler_type = "a", .id = "twice"});
    try {
        enqueuer.enqueue({.handler_type = "a", .id = "twice"});
        ADD_FAILURE() << "enqueued twice";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::duplicate_key) << error.what();
    }
    run("DROP TABLE ACT_RU_JOB");
    try {
        enqueuer.enqueue({.handler_type = "a"});
        ADD_FAILURE() << "enqueued without a table";
    } catch (const Error& error) {
        EXPECT_EQ(error.kind(), ErrorKind::schema_missing) << error.what();
    }
    run("ROLLBACK");
}

/// What an app's function was asked to run.
std::vector<std::string> statements_of(Database database, NewJob job) {
    std::vector<std::string> statements;
    Enqueuer enqueuer({
        .database = database,
        .run =
            [&](std::string_view sql, std::span<const Value> parameters) {
                statements.push_back(
                    std::string(sql.substr(0, 24)) + " " + std::to_string(parameters.size())
                );
            },
    });
    enqueuer.enqueue(std::move(job));
    return statements;
}

TEST(OwnFunction, Gets_statements_in_the_words_of_its_database) {
    EXPECT_THAT(
        statements_of(Database::sqlite, {.handler_type = "a"}),
        ElementsAre("INSERT INTO ACT_RU_JOB ( 12")
    );
    EXPECT_THAT(
        statements_of(Database::postgresql, {.handler_type = "a"}),
        ElementsAre("INSERT INTO ACT_RU_JOB ( 12", "NOTIFY jobstrand 0")
    );
    EXPECT_THAT(
        statements_of(Database::mysql, {.handler_type = "a", .payload = std::string(4'001, 'x')}),
        ElementsAre(
            "SET @jobstrand_zone = @@ 0",
            "SET time_zone = '+00:00' 0",
            HasSubstr("INSERT INTO ACT_GE_"),
            HasSubstr("INSERT INTO ACT_RU_JOB"),
            "SET time_zone = @jobstra 0"
        )
    );
}

TEST(OwnFunction, Placeholders_are_numbered_where_the_database_wants_it) {
    std::string statement;
    const auto keep = [&](std::string_view sql, std::span<const Value>) {
        if (sql.starts_with("INSERT")) {
            statement = sql;
        }
    };
    Enqueuer({.database = Database::postgresql, .run = keep}).enqueue({.handler_type = "a"});
    EXPECT_THAT(statement, HasSubstr("$1"));
    EXPECT_THAT(statement, testing::Not(HasSubstr("?")));
}

TEST(OwnFunction, What_it_throws_reaches_the_app_and_the_zone_is_set_back) {
    std::vector<std::string> statements;
    Enqueuer enqueuer({
        .database = Database::mysql,
        .run =
            [&](std::string_view sql, std::span<const Value>) {
                statements.emplace_back(sql.substr(0, 6));
                if (sql.starts_with("INSERT")) {
                    throw std::range_error("the app's own");
                }
            },
    });
    EXPECT_THROW(enqueuer.enqueue({.handler_type = "a"}), std::range_error);
    EXPECT_THAT(statements, ElementsAre("SET @j", "SET ti", "INSERT", "SET ti"));
}

}  // namespace

}  // namespace jobstrand::test
