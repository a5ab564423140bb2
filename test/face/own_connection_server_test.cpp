#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/server_database.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/engine.hpp>
#include <jobstrand/on_mysql.hpp>
#include <jobstrand/on_postgresql.hpp>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

const TimePoint kDue = std::chrono::sys_days(std::chrono::year{2031} / 3 / 30) + 1h + 30min + 7ms;

/// What both bridges do: all columns with awkward texts, a long payload, and a due date at an hour
/// that some zones leave out.
NewJob a_full_job(const std::string& id) {
    return {
        .handler_type = "a",
        .payload = std::string(10'000, 'x') + "\xF0\x9F\x9A\x80",
        .due_date = kDue,
        .priority = -3,
        .retries = 7,
        .retry_cycle = "R7/PT1M",
        .unique_key = "key of " + id + " \xF0\x9F\x9A\x80",
        .unique_for = 1h,
        .correlation_id = "handle",
        .process_instance_id = "instance",
        .element_name = "Name \xF0\x9F\x9A\x80 'quoted' \\ ? $1",
        .exclusive = false,
        .id = id,
    };
}

void expect_stored(const std::string& url, const NewJob& job) {
    Engine engine({.database_url = url, .log = nullptr});
    const std::optional<StoredJob> stored = engine.find(job.id);
    ASSERT_TRUE(stored);
    NewJob without_rule = job;
    without_rule.unique_for = {};
    EXPECT_EQ(static_cast<const NewJob&>(*stored), without_rule);
    EXPECT_EQ(stored->place, JobPlace::timer);
    EXPECT_LT(std::chrono::abs(*stored->create_time - engine.now()), 5min);
    EXPECT_EQ(engine.find("lost"), std::nullopt);
}

std::string with_tables(const ServerDatabase& database) {
    const std::string url = url_text(database.url());
    const Engine engine({.database_url = url, .log = nullptr});
    return url;
}

template <typename Misuse>
std::string told(const Misuse& misuse) {
    try {
        misuse();
    } catch (const std::logic_error& error) {
        return error.what();
    }
    return "nothing";
}

ErrorKind kind_of_duplicate(Enqueuer& enqueuer) {
    try {
        enqueuer.enqueue({.handler_type = "a", .id = "taken"});
        enqueuer.enqueue({.handler_type = "a", .id = "taken"});
    } catch (const Error& error) {
        return error.kind();
    }
    return ErrorKind::other;
}

/// B8
ErrorKind kind_of_second_key(Enqueuer& enqueuer) {
    try {
        enqueuer.enqueue({.handler_type = "a", .unique_key = "k"});
        enqueuer.enqueue({.handler_type = "a", .unique_key = "k"});
    } catch (const Error& error) {
        return error.kind();
    }
    return ErrorKind::other;
}

/// The engine sees who has the key, and since when.
void expect_held(const std::string& url, const NewJob& job) {
    Engine engine({.database_url = url, .log = nullptr});
    const NewJob second{
        .handler_type = "a", .unique_key = job.unique_key, .on_duplicate = OnDuplicate::keep};
    EXPECT_EQ(engine.enqueue_unique(second), (Enqueued{.id = job.id, .is_added = false}));
    EXPECT_TRUE(engine.remove(job.id));
    EXPECT_FALSE(engine.enqueue_unique(second).is_added) << "the period is not over";
}

TEST(OwnPostgresqlConnection, A_job_is_stored_whole_with_the_apps_transaction) {
    if (const auto missing = PostgresqlServer::what_is_missing()) {
        GTEST_SKIP() << *missing;
    }
    const ServerDatabase database(shared_postgresql_server().url());
    const std::string url = with_tables(database);
    const std::unique_ptr<PGconn, void (*)(PGconn*)> connection(
        PQconnectdb((url + "?client_encoding=UTF8").c_str()), PQfinish
    );
    const auto run = [&](const char* sql) { PQclear(PQexec(connection.get(), sql)); };
    run("SET TimeZone = 'Europe/Berlin'");
    Enqueuer enqueuer(on_postgresql(connection.get()));
    EXPECT_THAT(told([&] { enqueuer.enqueue({.handler_type = "a"}); }), HasSubstr("begin one"));

    run("BEGIN");
    enqueuer.enqueue(a_full_job("lost"));
    run("ROLLBACK");
    run("BEGIN");
    enqueuer.enqueue(a_full_job("kept"));
    run("COMMIT");
    expect_stored(url, a_full_job("kept"));
    expect_held(url, a_full_job("kept"));

    run("BEGIN");
    EXPECT_EQ(kind_of_duplicate(enqueuer), ErrorKind::duplicate_key);
    run("ROLLBACK");
    run("BEGIN");
    EXPECT_EQ(kind_of_second_key(enqueuer), ErrorKind::duplicate_key);
    run("ROLLBACK");
}

TEST(OwnMysqlConnection, A_job_is_stored_whole_with_the_apps_transaction) {
    if (const auto missing = MariaDbServer::what_is_missing()) {
        GTEST_SKIP() << *missing;
    }
    const ServerDatabase database(shared_mariadb_server().url());
    const std::string url = with_tables(database);
    const std::unique_ptr<MYSQL, void (*)(MYSQL*)> connection(mysql_init(nullptr), mysql_close);
    ASSERT_NE(
        mysql_real_connect(
            connection.get(),
            database.url().host.c_str(),
            database.url().user.c_str(),
            database.url().password.c_str(),
            database.url().database.c_str(),
            static_cast<unsigned>(database.url().port),
            nullptr,
            0
        ),
        nullptr
    ) << mysql_error(connection.get());
    const auto run = [&](const char* sql) {
        ASSERT_EQ(mysql_query(connection.get(), sql), 0) << mysql_error(connection.get());
    };
    mysql_set_character_set(connection.get(), "latin1");
    Enqueuer enqueuer(on_mysql(connection.get()));
    EXPECT_THAT(told([&] { enqueuer.enqueue({.handler_type = "a"}); }), HasSubstr("utf8mb4"));
    mysql_set_character_set(connection.get(), "utf8mb4");
    run("SET autocommit = 1");
    EXPECT_THAT(told([&] { enqueuer.enqueue({.handler_type = "a"}); }), HasSubstr("begin one"));

    run("SET time_zone = '+05:30'");
    run("BEGIN");
    enqueuer.enqueue(a_full_job("lost"));
    run("ROLLBACK");
    run("BEGIN");
    enqueuer.enqueue(a_full_job("kept"));
    run("COMMIT");
    expect_stored(url, a_full_job("kept"));
    expect_held(url, a_full_job("kept"));

    run("BEGIN");
    EXPECT_EQ(kind_of_duplicate(enqueuer), ErrorKind::duplicate_key);
    run("ROLLBACK");
    run("BEGIN");
    EXPECT_EQ(kind_of_second_key(enqueuer), ErrorKind::duplicate_key);
    run("ROLLBACK");
    run("SELECT @@session.time_zone");
    const std::unique_ptr<MYSQL_RES, void (*)(MYSQL_RES*)> zone(
        mysql_store_result(connection.get()), mysql_free_result
    );
    EXPECT_STREQ(mysql_fetch_row(zone.get())[0], "+05:30") << "the session has its zone again";
}

}  // namespace

}  // namespace jobstrand::test
