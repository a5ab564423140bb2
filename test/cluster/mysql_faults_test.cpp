#include "persistence/drivers/mysql/mysql_database.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/fixtures/signal.hpp"
#include "tools/engine/wiring.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using executor::Failed;
using executor::HandlerResult;
using executor::JobContext;
using executor::Succeeded;
using persistence::DbError;
using persistence::DbErrorKind;
using schema::LogLevel;

/// A MariaDB server in trouble, and an engine whose user has the rights that docs/databases.md
/// names.
class MysqlFaults : public testing::Test {
protected:
    void SetUp() override {
        if (const auto missing = test::MariaDbServer::what_is_missing()) {
            GTEST_SKIP() << *missing;
        }
    }

    void start(std::vector<std::string> options = {}) {
        server.emplace(std::move(options));
        admin = persistence::open_mysql(server->url());
        for (const std::string_view statement :
             {"CREATE DATABASE jobs CHARACTER SET utf8mb4",
              "CREATE USER app@'%' IDENTIFIED BY 'secret'",
              "GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, INDEX ON jobs.* TO app@'%'",
              "USE jobs"}) {
            admin->run_script(statement);
        }
        engine = std::make_unique<engine::Wiring>(
            engine::WiringOptions{
                .database_url =
                    fmt::format("mysql://app:secret@127.0.0.1:{}/jobs", server->url().port),
                .executor = {.lock_time = 5min},
                .decorate_connection =
                    [this](auto connection) {
                        ++connections;
                        return connection;
                    }},
            clock,
            log
        );
    }

    [[nodiscard]] bool is_said(LogLevel level, std::string_view text) const {
        return test::eventually([&] { return log.count(level, text) > 0; });
    }

    /// Once each, and the reason of the outage.
    void expect_outage_said_once(std::string_view reason) const {
        constexpr std::string_view kAway = "the database is away";
        EXPECT_EQ(log.count(LogLevel::warn, kAway), 1);
        EXPECT_EQ(log.count(LogLevel::info, "the database is back"), 1);
        for (const test::RecordingLog::Line& line : log.lines()) {
            if (line.message.starts_with(kAway)) {
                EXPECT_NE(line.fields.find(fmt::format("reason={} ", reason)), std::string::npos);
            }
        }
    }

    const schema::SystemClock clock;
    test::RecordingLog log;
    test::Signal runs;
    std::atomic<int> connections{0};
    std::optional<test::MariaDbServer> server;
    std::unique_ptr<persistence::Connection> admin;
    std::unique_ptr<engine::Wiring> engine;
};

// I5
TEST_F(MysqlFaults, A_server_that_takes_no_writes_is_left_and_asked_again_until_it_does) {
    start();
    engine->handlers().add("test", [this](const JobContext& context) -> HandlerResult {
        EXPECT_EQ(context.job.retries, 3);
        EXPECT_EQ(context.attempt, 1);
        runs.notify();
        return Succeeded{};
    });
    engine->start();
    engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(runs.wait_for(1));

    admin->run_script("SET GLOBAL read_only = ON");
    const int connections_before = connections;
    admin->run_script("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('a', 'test')");
    ASSERT_TRUE(is_said(LogLevel::warn, "the database is away"));
    try {
        engine->enqueue({.handler_type = "test"});
        ADD_FAILURE() << "enqueued";
    } catch (const DbError& error) {
        EXPECT_EQ(error.kind(), DbErrorKind::read_only);
    }
    EXPECT_TRUE(test::eventually([&] { return connections > connections_before + 1; }));

    admin->run_script("SET GLOBAL read_only = OFF");
    EXPECT_TRUE(runs.wait_for(2));
    ASSERT_TRUE(is_said(LogLevel::info, "the database is back"));
    expect_outage_said_once("read_only");
}

/// Options of a server whose tables are all in a file that may not grow as it likes.
std::vector<std::string> one_file_of_at_most(std::string_view size) {
    return {
        "--innodb-file-per-table=OFF",
        fmt::format("--innodb-data-file-path=ibdata1:12M:autoextend:max:{}", size),
    };
}

// I5
TEST_F(MysqlFaults, What_a_full_disk_does_not_take_is_kept_until_there_is_room) {
    start(one_file_of_at_most("24M"));
    const std::string details(60'000, 'd');
    test::Signal is_full;
    engine->handlers().add("test", [&](const JobContext&) -> HandlerResult {
        runs.notify();
        EXPECT_TRUE(is_full.wait_for(1));
        return Failed{.message = "no", .details = details, .retry_after = 1h};
    });
    engine->start();
    const std::string id = engine->enqueue({.handler_type = "test"});
    ASSERT_TRUE(runs.wait_for(1));

    // The table that wants to grow: what other tables cannot use any more, it might.
    // A server that has no room even to undo ends itself, which depends on where its tables lie.
    bool has_ended = false;
    for (int length = 1'000'000; length > 1000 && !has_ended; length /= 2) {
        // Defended catch: this is how one sees that the file is full.
        try {
            while (true) {
                admin->run_script(fmt::format(
                    "INSERT INTO ACT_GE_BYTEARRAY (ID_, BYTES_) VALUES (UUID(), REPEAT('f', {}))",
                    length
                ));
            }
        } catch (const DbError& error) {
            has_ended = error.kind() == DbErrorKind::connection_lost;
            ASSERT_TRUE(has_ended || error.kind() == DbErrorKind::storage_full) << error.what();
        }
    }
    is_full.notify();
    ASSERT_TRUE(is_said(LogLevel::warn, "the database is away"));
    if (has_ended) {
        server->kill();
    } else {
        EXPECT_EQ(engine->store().find(id)->place, schema::JobPlace::executable);
        server->stop();
    }
    server->set_options(one_file_of_at_most("64M"));
    server->start();
    ASSERT_TRUE(is_said(LogLevel::info, "the database is back"));
    ASSERT_TRUE(test::eventually([&] {
        return engine->store().find(id)->place == schema::JobPlace::timer;
    }));
    const schema::Job job = engine->store().find(id)->job;
    EXPECT_EQ(job.retries, 2);
    EXPECT_EQ(job.attempts, 1);
    EXPECT_EQ(engine->store().exception_details(job), details);
    EXPECT_EQ(runs.count(), 1U);
    if (!has_ended) {
        expect_outage_said_once("storage_full");
    }
}

}  // namespace
}  // namespace jobstrand
