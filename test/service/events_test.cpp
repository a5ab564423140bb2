#include "test/service/api_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::get;
using test::RawClient;
using testing::HasSubstr;

constexpr std::string_view kData = "data: ";

class EventsTest : public test::ApiTest {
protected:
    /// The data of the next event of this name.
    [[nodiscard]] static json next(RawClient& client, const std::string& event) {
        (void)client.receive_until("event: " + event + "\n");
        (void)client.receive_until(kData);
        return json::parse(client.receive_until("\n"), nullptr, false);
    }

    /// The statistics without what changes all the time.
    [[nodiscard]] json counts() {
        json stats = look("/api/v1/stats?soon=true");
        for (const char* member : {"runsLastMinute", "failedLastMinute", "external"}) {
            EXPECT_EQ(stats.erase(member), 1U) << member;
        }
        return stats;
    }
};

TEST_F(EventsTest, Who_watches_hears_the_counts_and_that_they_have_changed) {
    RawClient client(http->port());
    (void)client.send(get("/api/v1/events"));
    EXPECT_THAT(client.receive_until("\r\n\r\n"), HasSubstr("Content-Type: text/event-stream\r\n"));
    const json before = next(client, "stats");
    EXPECT_EQ(before, counts());
    add(R"({"handlerType":"noop"})");
    const json after = next(client, "stats");
    EXPECT_EQ(after["places"]["executable"], 1);
    EXPECT_EQ(after, counts());
}

TEST_F(EventsTest, A_stop_ends_the_streams_and_lets_nobody_begin_one) {
    RawClient client(http->port());
    (void)client.send(get("/api/v1/events"));
    EXPECT_TRUE(next(client, "stats").is_object());
    http->say_stopping();
    (void)client.receive_rest();
    EXPECT_TRUE(client.is_closed());
    EXPECT_EQ(ask(get("/api/v1/events")).status, 503);
    http->stop();
}

}  // namespace
}  // namespace jobstrand
