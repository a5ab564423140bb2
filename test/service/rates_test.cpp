#include "test/fixtures/signal.hpp"
#include "test/service/api_fixture.hpp"

#include <memory>
#include <string>
#include <vector>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using executor::Failed;
using executor::HandlerResult;
using executor::JobContext;
using executor::Succeeded;
using nlohmann::json;

/// Rates of a node that runs mails, and payments that fail.
class RatesTest : public test::ApiTest {
protected:
    static void add_handlers(engine::Wiring& node) {
        node.handlers().add("mail", [](const JobContext&) -> HandlerResult { return Succeeded{}; });
        node.handlers().add("pay", [](const JobContext&) -> HandlerResult {
            return Failed{.message = "declined", .retryable = false};
        });
    }

    /// Starts it, and comes back when so many mails and one payment have run.
    void run(engine::Wiring& node, std::size_t mails) {
        add_handlers(node);
        node.start();
        std::vector<schema::Job> jobs(mails, schema::Job{.handler_type = "mail"});
        jobs.push_back({.handler_type = "pay"});
        (void)node.enqueue_all(std::move(jobs));
        EXPECT_TRUE(test::eventually([&] {
            return node.store().count(schema::JobPlace::executable, {}) == 0;
        }));
    }

    [[nodiscard]] static std::int64_t sum(const json& items, const std::string& field) {
        std::int64_t all = 0;
        for (const json& item : items) {
            all += item.at(field).get<std::int64_t>();
        }
        return all;
    }

    /// Of the last ten minutes, and of the last hour.
    const std::vector<std::string> times_{"PT10M", "1h"};
};

TEST_F(RatesTest, What_a_node_runs_is_seen_while_it_runs_and_after_a_restart) {
    run(engine, 3);
    for (const std::string& last : times_) {
        EXPECT_TRUE(test::eventually([&] {
            return sum(look("/api/v1/rates?last=" + last), "completed") == 3;
        })) << last;
    }
    ASSERT_TRUE(engine.stop(executor::StopMode::drain));

    engine::Wiring another(
        {.database_url = "sqlite:" + (directory.path() / "jobs.db").string() + "?synchronous=off"},
        clock,
        log
    );
    run(another, 2);
    ASSERT_TRUE(another.stop(executor::StopMode::drain));

    for (const std::string& last : times_) {
        const json items = look("/api/v1/rates?last=" + last);
        ASSERT_FALSE(items.empty());
        EXPECT_EQ(items.front()["seconds"], last == "1h" ? 60 : 1);
        EXPECT_EQ(sum(items, "begun"), 7) << items;
        EXPECT_EQ(sum(items, "completed"), 5);
        EXPECT_EQ(sum(items, "failed"), 2);
        EXPECT_EQ(sum(items, "dead"), 2);
        EXPECT_EQ(sum(look("/api/v1/rates?type=pay&last=" + last), "begun"), 2);
        EXPECT_TRUE(look("/api/v1/rates?type=none&last=" + last).empty());

        const json types = look("/api/v1/rates/types?last=" + last);
        ASSERT_EQ(types.size(), 2U);
        EXPECT_EQ(types[0]["type"], "mail");
        EXPECT_EQ(types[0]["completed"], 5);
        EXPECT_EQ(types[1]["type"], "pay");
        EXPECT_EQ(types[1]["dead"], 2);
        for (const char* const field :
             {"waitP50", "waitP95", "waitP99", "runP50", "runP95", "runP99"}) {
            EXPECT_GE(types[0][field].get<double>(), 0) << field;
        }
    }
}

TEST_F(RatesTest, Percentiles_of_nothing_are_null) {
    const schema::Duration second = schema::kShortSpan;
    const schema::TimePoint now = engine.clock().now();
    schema::ThroughputSpan span{.length = second, .at = now - now.time_since_epoch() % second};
    span.counts.of("mail").begun = 1;
    engine.throughput_store().add_throughput("node-1", std::span(&span, 1));
    const json item = look("/api/v1/rates?last=10m").at(0);
    EXPECT_TRUE(item["runP50"].is_null()) << item;
    EXPECT_TRUE(item["waitP99"].is_null()) << item;
}

}  // namespace
}  // namespace jobstrand
