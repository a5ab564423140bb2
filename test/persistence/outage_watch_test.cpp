#include "persistence/drivers/postgresql/postgresql_database.hpp"
#include "persistence/drivers/sqlite/sqlite_backend.hpp"
#include "persistence/sql/db_error.hpp"
#include "persistence/sql/transaction_runner.hpp"
#include "test/fixtures/at_once.hpp"
#include "test/fixtures/recording_log.hpp"

#include <gtest/gtest.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <chrono>
#include <optional>
#include <set>
#include <stop_token>
#include <thread>
#include <vector>

namespace jobstrand::persistence {

namespace {

using schema::LogLevel;
using namespace std::chrono_literals;

struct KindRow {
    DbErrorKind kind;
    std::string_view name;
    bool transient;
    bool outage;
    bool poisons;
};

TEST(DbError, Its_kind_says_what_can_be_done) {
    const std::vector<KindRow> rows{
        {DbErrorKind::conflict, "conflict", true, false, false},
        {DbErrorKind::busy, "busy", true, false, false},
        {DbErrorKind::connection_lost, "connection_lost", true, true, true},
        {DbErrorKind::in_doubt, "in_doubt", false, true, true},
        {DbErrorKind::duplicate_key, "duplicate_key", false, false, false},
        {DbErrorKind::too_long, "too_long", false, false, false},
        {DbErrorKind::read_only, "read_only", false, true, true},
        {DbErrorKind::storage_full, "storage_full", false, true, false},
        {DbErrorKind::not_a_database, "not_a_database", false, true, false},
        {DbErrorKind::access_denied, "access_denied", false, false, false},
        {DbErrorKind::unreachable, "unreachable", false, true, false},
        {DbErrorKind::schema_missing, "schema_missing", false, false, false},
        {DbErrorKind::unreadable, "unreadable", false, false, false},
        {DbErrorKind::other, "other", false, false, false},
    };
    for (const KindRow& row : rows) {
        const DbError error(row.kind, "what happened");
        EXPECT_EQ(error.kind(), row.kind);
        EXPECT_EQ(name_of(error.kind()), row.name);
        EXPECT_EQ(error.is_transient(), row.transient) << row.name;
        EXPECT_EQ(error.is_outage(), row.outage) << row.name;
        EXPECT_EQ(error.poisons_connection(), row.poisons) << row.name;
        EXPECT_STREQ(error.what(), "what happened");
    }
}

struct CodeRow {
    std::string_view name;
    int code;
    std::string_view message;
    DbErrorKind kind;
};

/// The numbers of sqlite3.h: they are a stable interface.
const std::vector<CodeRow> kSqliteCodes{
    {"SQLITE_ERROR, table", 1, "no such table: ACT_RU_JOB", DbErrorKind::schema_missing},
    {"SQLITE_ERROR, column", 1, "no such column: REV_", DbErrorKind::schema_missing},
    {"SQLITE_ERROR, insert", 1, "table X has no column named Y", DbErrorKind::schema_missing},
    {"SQLITE_ERROR, syntax", 1, "near \"SELEC\": syntax error", DbErrorKind::other},
    {"SQLITE_ERROR, parameters", 1, "too many SQL variables", DbErrorKind::too_long},
    {"SQLITE_ERROR, depth",
     1,
     "Expression tree is too large (maximum depth 1000)",
     DbErrorKind::too_long},
    {"SQLITE_INTERNAL", 2, "", DbErrorKind::other},
    {"SQLITE_PERM", 3, "", DbErrorKind::access_denied},
    {"SQLITE_ABORT", 4, "", DbErrorKind::other},
    {"SQLITE_BUSY", 5, "database is locked", DbErrorKind::busy},
    {"SQLITE_BUSY_RECOVERY", 261, "", DbErrorKind::busy},
    {"SQLITE_BUSY_SNAPSHOT", 517, "", DbErrorKind::conflict},
    {"SQLITE_BUSY_TIMEOUT", 773, "", DbErrorKind::busy},
    {"SQLITE_LOCKED", 6, "", DbErrorKind::busy},
    {"SQLITE_LOCKED_SHAREDCACHE", 262, "", DbErrorKind::busy},
    {"SQLITE_NOMEM", 7, "", DbErrorKind::other},
    {"SQLITE_READONLY", 8, "", DbErrorKind::read_only},
    {"SQLITE_READONLY_RECOVERY", 264, "", DbErrorKind::read_only},
    {"SQLITE_READONLY_CANTLOCK", 520, "", DbErrorKind::read_only},
    {"SQLITE_READONLY_DBMOVED", 1032, "", DbErrorKind::connection_lost},
    {"SQLITE_READONLY_DIRECTORY", 1544, "", DbErrorKind::read_only},
    {"SQLITE_IOERR", 10, "", DbErrorKind::other},
    {"SQLITE_IOERR_WRITE", 778, "", DbErrorKind::other},
    {"SQLITE_IOERR_FSYNC", 1034, "", DbErrorKind::other},
    {"SQLITE_IOERR_SHMSIZE", 4874, "", DbErrorKind::storage_full},
    {"SQLITE_CORRUPT", 11, "database disk image is malformed", DbErrorKind::other},
    {"SQLITE_FULL", 13, "database or disk is full", DbErrorKind::storage_full},
    {"SQLITE_CANTOPEN", 14, "", DbErrorKind::unreachable},
    {"SQLITE_PROTOCOL", 15, "", DbErrorKind::busy},
    {"SQLITE_SCHEMA", 17, "", DbErrorKind::conflict},
    {"SQLITE_TOOBIG", 18, "", DbErrorKind::too_long},
    {"SQLITE_CONSTRAINT", 19, "", DbErrorKind::other},
    {"SQLITE_CONSTRAINT_CHECK", 275, "", DbErrorKind::other},
    {"SQLITE_CONSTRAINT_NOTNULL", 1299, "", DbErrorKind::other},
    {"SQLITE_CONSTRAINT_PRIMARYKEY", 1555, "", DbErrorKind::duplicate_key},
    {"SQLITE_CONSTRAINT_UNIQUE", 2067, "", DbErrorKind::duplicate_key},
    {"SQLITE_CONSTRAINT_ROWID", 2579, "", DbErrorKind::duplicate_key},
    {"SQLITE_MISUSE", 21, "", DbErrorKind::other},
    {"SQLITE_AUTH", 23, "", DbErrorKind::access_denied},
    {"SQLITE_NOTADB", 26, "", DbErrorKind::not_a_database},
};

TEST(ClassifySqlite, Every_code_has_its_kind) {
    for (const CodeRow& row : kSqliteCodes) {
        EXPECT_EQ(classify_sqlite(row.code, row.message), row.kind) << row.name;
    }
}

TEST(ClassifySqlite, Only_an_input_output_error_leaves_a_commit_in_doubt) {
    const std::set<std::string_view> in_doubt{
        "SQLITE_IOERR",
        "SQLITE_IOERR_WRITE",
        "SQLITE_IOERR_FSYNC",
    };
    for (const CodeRow& row : kSqliteCodes) {
        const DbErrorKind kind = in_doubt.contains(row.name) ? DbErrorKind::in_doubt : row.kind;
        EXPECT_EQ(classify_sqlite_commit(row.code, row.message), kind) << row.name;
    }
}

/// A socket and its other end.
class AnswerWatchTest : public testing::Test {
protected:
    AnswerWatchTest() { EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, sockets_), 0); }
    ~AnswerWatchTest() override {
        ::close(sockets_[0]);
        ::close(sockets_[1]);
    }

    [[nodiscard]] bool is_shut_down_within(schema::Duration limit) const {
        pollfd other_end{.fd = sockets_[1], .events = POLLIN, .revents = 0};
        return ::poll(&other_end, 1, static_cast<int>(limit.count())) == 1;
    }

    int sockets_[2] = {-1, -1};
};

TEST_F(AnswerWatchTest, An_answer_that_does_not_come_ends_the_connection) {
    AnswerWatch watch(sockets_[0], 10ms);
    watch.begin();
    EXPECT_TRUE(is_shut_down_within(10s));
}

TEST_F(AnswerWatchTest, Answers_in_time_leave_it_alone_and_a_late_one_is_noticed_after_them) {
    AnswerWatch watch(sockets_[0], 20ms);
    for (int i = 0; i < 3; ++i) {
        watch.begin();
        watch.end();
        EXPECT_FALSE(is_shut_down_within(50ms));
    }
    watch.begin();
    EXPECT_TRUE(is_shut_down_within(10s));
}

class OutageWatchTest : public testing::Test {
protected:
    using Access = OutageWatch::Access;

    void fail(DbErrorKind kind, schema::SteadyPoint began = later()) {
        outage_.failed(DbError(kind, "the cable is out"), began);
    }

    static schema::SteadyPoint now() {
        return std::chrono::time_point_cast<schema::Duration>(std::chrono::steady_clock::now());
    }
    /// Later than any outage of this test.
    static schema::SteadyPoint later() { return now() + std::chrono::hours(1); }

    [[nodiscard]] std::ptrdiff_t outages() const { return log_.count(LogLevel::warn, "is away"); }
    [[nodiscard]] std::ptrdiff_t returns() const { return log_.count(LogLevel::info, "is back"); }

    test::RecordingLog log_;
    OutageWatch outage_{log_};
};

TEST_F(OutageWatchTest, An_outage_is_told_once_and_its_end_once) {
    for (int attempt = 0; attempt < 100; ++attempt) {
        fail(DbErrorKind::connection_lost);
        fail(DbErrorKind::unreachable);
    }
    EXPECT_EQ(outages(), 1);
    EXPECT_NE(log_.lines()[0].fields.find("error=the cable is out"), std::string::npos);
    for (int access = 0; access < 100; ++access) {
        outage_.succeeded(Access::write, later());
    }
    EXPECT_EQ(returns(), 1);
    EXPECT_NE(log_.lines()[1].fields.find("away_ms="), std::string::npos);
}

TEST_F(OutageWatchTest, It_is_known_when_the_last_one_ended) {
    EXPECT_EQ(outage_.last_end(), std::nullopt);
    fail(DbErrorKind::connection_lost);
    EXPECT_EQ(outage_.last_end(), schema::SteadyPoint::max());
    const schema::SteadyPoint before = now();
    outage_.succeeded(Access::write, later());
    EXPECT_GE(outage_.last_end(), before);
    EXPECT_LE(outage_.last_end(), now());
}

TEST_F(OutageWatchTest, Whoever_waits_goes_on_at_its_end_at_a_stop_or_when_its_time_is_over) {
    outage_.wait_until_over({}, later());
    fail(DbErrorKind::connection_lost);
    outage_.wait_until_over({}, now());
    std::stop_source stop;
    std::jthread waits_for_end([this] { outage_.wait_until_over({}, later()); });
    std::jthread waits_for_stop([&] { outage_.wait_until_over(stop.get_token(), later()); });
    stop.request_stop();
    waits_for_stop.join();
    outage_.succeeded(Access::write, later());
    waits_for_end.join();
}

TEST_F(OutageWatchTest, The_next_outage_is_told_again) {
    for (int outage = 0; outage < 3; ++outage) {
        fail(DbErrorKind::connection_lost);
        outage_.succeeded(Access::read, later());
    }
    EXPECT_EQ(outages(), 3);
    EXPECT_EQ(returns(), 3);
}

TEST_F(OutageWatchTest, What_concerns_one_statement_only_is_no_outage) {
    for (const DbErrorKind kind :
         {DbErrorKind::conflict,
          DbErrorKind::busy,
          DbErrorKind::duplicate_key,
          DbErrorKind::too_long,
          DbErrorKind::access_denied,
          DbErrorKind::schema_missing,
          DbErrorKind::other}) {
        fail(kind);
        EXPECT_TRUE(log_.lines().empty()) << name_of(kind);
    }
}

TEST_F(OutageWatchTest, What_succeeds_without_an_outage_is_no_news) {
    outage_.succeeded(Access::write, later());
    EXPECT_TRUE(log_.lines().empty());
}

TEST_F(OutageWatchTest, What_began_before_the_outage_does_not_end_it) {
    const schema::SteadyPoint before = now() - std::chrono::seconds(1);
    fail(DbErrorKind::connection_lost);
    outage_.succeeded(Access::write, before);
    EXPECT_EQ(returns(), 0);
    outage_.succeeded(Access::write, later());
    EXPECT_EQ(returns(), 1);
}

// At a failover a thread tries the old server while another has found the new one.
TEST_F(OutageWatchTest, What_began_before_the_end_of_an_outage_begins_no_other) {
    const schema::SteadyPoint before = now() - std::chrono::seconds(1);
    fail(DbErrorKind::connection_lost, before);
    outage_.succeeded(Access::write, later());
    fail(DbErrorKind::unreachable, before);
    EXPECT_EQ(outages(), 1);
    fail(DbErrorKind::unreachable);
    EXPECT_EQ(outages(), 2);
}

TEST_F(OutageWatchTest, A_database_that_can_be_read_may_still_take_no_writes) {
    for (const DbErrorKind kind : {DbErrorKind::read_only, DbErrorKind::storage_full}) {
        log_.clear();
        fail(kind);
        outage_.succeeded(Access::read, later());
        EXPECT_EQ(returns(), 0) << name_of(kind);
        outage_.succeeded(Access::write, later());
        EXPECT_EQ(returns(), 1) << name_of(kind);
    }
}

TEST_F(OutageWatchTest, Many_threads_that_meet_one_outage_tell_it_once) {
    test::at_once(4, [this](std::size_t) {
        for (int attempt = 0; attempt < 200; ++attempt) {
            fail(DbErrorKind::connection_lost);
        }
    });
    EXPECT_EQ(outages(), 1);
    test::at_once(4, [this](std::size_t) { outage_.succeeded(Access::write, later()); });
    EXPECT_EQ(returns(), 1);
}

}  // namespace

}  // namespace jobstrand::persistence
