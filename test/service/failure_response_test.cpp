#include "persistence/sql/db_error.hpp"
#include "test/fixtures/recording_log.hpp"
#include "tools/service/http/message.hpp"

#include <gmock/gmock.h>

namespace jobstrand {
namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using testing::HasSubstr;

TEST(FailureResponse, A_value_without_room_in_the_database_is_the_callers_to_mend) {
    test::RecordingLog log;
    const DbError error(DbErrorKind::too_long, "INSERT: longer than 'max_allowed_packet' bytes");
    const auto response = service::response_to(error, log);
    EXPECT_EQ(response.status, 400);
    EXPECT_THAT(response.body, HasSubstr("longer than 'max_allowed_packet' bytes"));
    EXPECT_TRUE(log.lines().empty());
}

TEST(FailureResponse, A_mistake_in_our_SQL_is_told_to_the_log_alone) {
    test::RecordingLog log;
    const auto response = service::response_to(DbError(DbErrorKind::other, "near SELEC"), log);
    EXPECT_EQ(response.status, 500);
    EXPECT_THAT(response.body, testing::Not(HasSubstr("SELEC")));
    EXPECT_EQ(log.count(schema::LogLevel::warn, "a request failed"), 1);
}

TEST(FailureResponse, An_outage_has_no_line_for_each_request) {
    test::RecordingLog log;
    EXPECT_EQ(service::response_to(DbError(DbErrorKind::unreachable, "gone"), log).status, 503);
    EXPECT_EQ(log.count(schema::LogLevel::warn, ""), 0);
    EXPECT_EQ(log.count(schema::LogLevel::debug, "a request failed"), 1);
}

TEST(FailureResponse, A_statement_that_took_too_long_is_no_outage) {
    test::RecordingLog log;
    const auto response =
        service::response_to(DbError(DbErrorKind::busy, "statement timeout"), log);
    EXPECT_EQ(response.status, 503);
    EXPECT_THAT(response.body, HasSubstr("ask for less at once"));
    EXPECT_THAT(response.body, testing::Not(HasSubstr("not available")));
    EXPECT_EQ(log.count(schema::LogLevel::warn, "a request failed"), 1);
}

}  // namespace
}  // namespace jobstrand
