#include "tools/service/http/router.hpp"

#include "persistence/sql/db_error.hpp"
#include "test/fixtures/recording_log.hpp"
#include "tools/service/http/message.hpp"
#include "tools/service/metrics.hpp"
#include "tools/text/http_address.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

namespace jobstrand::service {

namespace {

using persistence::DbError;
using persistence::DbErrorKind;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pair;

TEST(ListenAddressTest, An_address_with_a_port_says_whether_others_reach_it) {
    EXPECT_TRUE(parse_listen_address("127.0.0.1:8080").value().is_loopback);
    EXPECT_TRUE(parse_listen_address("localhost:0").value().is_loopback);
    EXPECT_TRUE(parse_listen_address("8080").value().is_loopback);
    EXPECT_EQ(parse_listen_address("8080").value().port, 8080);
    EXPECT_EQ(parse_listen_address("[::1]:80").value().host, "::1");
    EXPECT_TRUE(parse_listen_address("[::1]:80").value().is_loopback);
    EXPECT_FALSE(parse_listen_address("0.0.0.0:80").value().is_loopback);
    EXPECT_FALSE(parse_listen_address("[::]:80").value().is_loopback);
    EXPECT_FALSE(parse_listen_address("10.0.0.7:80").value().is_loopback);
}

TEST(ListenAddressTest, Anything_else_is_refused) {
    for (const char* const text :
         {"",
          ":80",
          "127.0.0.1",
          "127.0.0.1:",
          "127.0.0.1:65536",
          "127.0.0.1:-1",
          "::1:80",
          "example.org:80",
          "[::1:80",
          "127.0.0.1:80x"}) {
        EXPECT_FALSE(parse_listen_address(text)) << text;
    }
}

TEST(PercentTest, Escapes_are_decoded_and_encoded) {
    EXPECT_EQ(percent_decoded("order%2F17%20%C3%B8"), "order/17 ø");
    EXPECT_EQ(percent_encoded("order/17 ø"), "order%2F17%20%C3%B8");
    EXPECT_EQ(percent_encoded("a-Z_0.9~"), "a-Z_0.9~");
}

TEST(PercentTest, Bad_escapes_control_characters_and_what_is_not_UTF_8_are_refused) {
    for (const char* const text : {"%", "%1", "%g1", "%0a", "\x01", "%7f", "%ff", "\xff"}) {
        EXPECT_EQ(percent_decoded(text), std::nullopt) << text;
    }
}

TEST(PercentTest, A_query_is_a_list_of_names_and_values) {
    EXPECT_THAT(
        *query_items("type=send+mail&&limit=10&locked&x=a%3Db=c"),
        ElementsAre(
            Pair("type", "send mail"), Pair("limit", "10"), Pair("locked", ""), Pair("x", "a=b=c")
        )
    );
    EXPECT_TRUE(query_items("")->empty());
    EXPECT_EQ(query_items("a=%"), std::nullopt);
}

class RouterTest : public testing::Test {
protected:
    [[nodiscard]] static service::Router a_router() {
        return service::Router({
            {"GET", "/jobs", Role::read, {}},
            {"POST", "/jobs", Role::worker, {}},
            {"GET", "/jobs/{id}", Role::read, {}},
            {"POST", "/nodes/{node}/drain", Role::admin, {}},
        });
    }

    [[nodiscard]] int status(std::string_view method, std::string_view path) const {
        const auto found = router.find(method, path);
        const auto* const refusal = std::get_if<Response>(&found);
        return refusal == nullptr ? 200 : refusal->status;
    }

    const service::Router router = a_router();
};

TEST_F(RouterTest, A_path_is_found_by_method_and_pattern) {
    const auto found = router.find("POST", "/nodes/a%2Fb/drain");
    const auto& match = std::get<RouteMatch>(found);
    EXPECT_EQ(match.route->pattern, "/nodes/{node}/drain");
    EXPECT_THAT(match.parameters, ElementsAre("a/b"));
    EXPECT_EQ(std::get<RouteMatch>(router.find("POST", "/jobs")).route->role, Role::worker);
}

TEST_F(RouterTest, Another_path_is_not_found_and_another_method_is_told_which_there_are) {
    EXPECT_EQ(status("GET", "/job"), 404);
    EXPECT_EQ(status("GET", "/jobs/17/more"), 404);
    const auto found = router.find("DELETE", "/jobs");
    const auto& refusal = std::get<Response>(found);
    EXPECT_EQ(refusal.status, 405);
    ASSERT_FALSE(refusal.headers.empty());
    EXPECT_EQ(refusal.headers.front().name, "Allow");
    EXPECT_EQ(refusal.headers.front().value, "GET, POST");
}

TEST_F(RouterTest, Tricks_with_paths_are_refused) {
    for (const char* const path :
         {"",
          "jobs",
          "//jobs",
          "/jobs/",
          "/jobs/..",
          "/jobs/.",
          "/jobs/%2e%2e",
          "/jobs/%00",
          "/jobs/%0d%0a",
          "/jobs/%zz",
          "/jobs/%2",
          "/jobs/%ff",
          "/jobs/%c0%af"}) {
        EXPECT_EQ(status("GET", path), 400) << path;
    }
}

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

TEST(MetricsText, A_label_may_have_any_value) {
    EXPECT_EQ(label("type", "mail"), R"(type="mail")");
    EXPECT_EQ(label("type", "a\"b\\c\nd"), R"(type="a\"b\\c\nd")");
    EXPECT_EQ(label("type", "\xff"), "type=\"\xEF\xBF\xBD\"");
    EXPECT_EQ(label("type", std::string(1000, 'x')).size(), 255 + std::string("type=\"\"").size());
}

TEST(MetricsText, Each_bucket_of_sizes_counts_those_below_it_as_well) {
    schema::SizeHistogram sizes;
    sizes.add(1);
    sizes.add(7);
    sizes.add(5000);
    MetricsText text;
    const MetricHead head{"batch", MetricKind::histogram, "Jobs at once"};
    text.begin(head);
    text.add(sizes);
    for (const char* const line :
         {"# TYPE batch histogram\n",
          "\nbatch_bucket{le=\"1\"} 1\n",
          "\nbatch_bucket{le=\"5\"} 1\n",
          "\nbatch_bucket{le=\"10\"} 2\n",
          "\nbatch_bucket{le=\"1000\"} 2\n",
          "\nbatch_bucket{le=\"+Inf\"} 3\n",
          "\nbatch_sum 5008\n",
          "\nbatch_count 3\n"}) {
        EXPECT_THAT(text.text(), HasSubstr(line));
    }
}

TEST(MetricsText, A_metric_without_a_value_is_not_there) {
    MetricsText text;
    const MetricHead none{"none", MetricKind::gauge, "Nothing"};
    const MetricHead some{"some", MetricKind::gauge, "Something", {"place", "type"}};
    text.begin(none);
    text.begin(some);
    text.add(std::uint64_t{1}, {"a", "b"});
    text.add(0.5, {"a", "\"c\""});
    EXPECT_EQ(
        text.text(),
        "# HELP some Something.\n# TYPE some gauge\n"
        "some{place=\"a\",type=\"b\"} 1\nsome{place=\"a\",type=\"\\\"c\\\"\"} 0.5\n"
    );
}

}  // namespace

}  // namespace jobstrand::service
