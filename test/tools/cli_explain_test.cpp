#include "test/fixtures/open_store.hpp"
#include "test/tools/cli_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using nlohmann::json;
using testing::HasSubstr;
using namespace std::chrono_literals;

/// Why jobs do not run, in the words and facts of `job explain`.
class CliExplain : public CliTest {
protected:
    /// A node that lives for an hour.
    void start_node() {
        const schema::TimePoint now = engine().clock().now();
        const persistence::NodeIdentity identity{.node = "node-1", .incarnation = "1"};
        auto& nodes = engine().node_store();
        nodes.register_node(identity, std::vector<std::string>{"noop"}, now, now + 1h);
        (void)nodes.renew_lease(identity, {.workers = 8, .running = 0, .held = 0}, now + 1h);
    }

    void acquire(const std::string& owner) {
        const schema::TimePoint now = engine().clock().now();
        (void)engine().executor_store().acquire(
            {.owner = owner, .until = now + 1h, .now = now}, std::vector<std::string>{"noop"}, 100
        );
    }

    void describe_run(const std::string& owner, const std::string& id) {
        const std::int64_t revision = OpenStore(url())->jobs().find(id)->job.revision;
        engine().node_store().record_work(
            owner,
            {.runs = {{.id = id, .revision = revision, .since = engine().clock().now() - 1min}}}
        );
    }

    [[nodiscard]] json explained(const std::string& id) {
        return json::parse(run({"job", "explain", id, "-o", "json"}).out);
    }

    /// The codes of all reasons, in their order.
    [[nodiscard]] std::string codes(const std::string& id) {
        std::string all;
        const json found = explained(id);
        for (const json& reason : found["reasons"]) {
            all += (all.empty() ? "" : " ") + reason["code"].get<std::string>();
        }
        return all;
    }

    [[nodiscard]] std::string text(const std::string& id) { return ok({"job", "explain", id}); }
};

TEST_F(CliExplain, A_waiting_exclusive_job_names_the_sibling_and_its_node) {
    start_node();
    const std::string first = add({"--type", "noop", "--instance", "order-17"});
    acquire("web-1:4711:000000000000000000000000000000ab");
    const std::string second = add({"--type", "noop", "--instance", "order-17"});
    const std::string expected = "an exclusive job of the same instance order-17, " + first +
                                 ", is held by web-1, process "
                                 "4711";
    EXPECT_EQ(codes(second), "exclusive") << "nobody has met it yet";
    EXPECT_THAT(text(second), HasSubstr(expected));
    acquire("node-1");
    EXPECT_EQ(codes(second), "exclusive") << "it waits";
    EXPECT_THAT(text(second), HasSubstr(expected));
    describe_run("web-1:4711:000000000000000000000000000000ab", first);
    EXPECT_THAT(text(second), HasSubstr(first + ", runs on web-1, process 4711 since 20"));
    EXPECT_EQ(explained(second)["facts"]["instance"]["jobs"][0]["id"], first);
}

TEST_F(CliExplain, A_job_behind_a_sibling_on_its_own_node_says_so) {
    start_node();
    const std::string first = add({"--type", "noop", "--instance", "order-17"});
    const std::string second = add({"--type", "noop", "--instance", "order-17"});
    acquire("node-1");
    EXPECT_EQ(codes(second), "held");
    describe_run("node-1", first);
    EXPECT_EQ(codes(second), "behind_sibling");
    EXPECT_THAT(text(second), HasSubstr(first + ", runs on node-1 since"));
}

TEST_F(CliExplain, A_full_limit_says_how_many_run) {
    start_node();
    ok({"limit", "set", "type:noop", "--concurrent", "2"});
    engine().executor_store().refresh_limits();
    add();
    add();
    acquire("node-1");
    const std::string third = add();
    EXPECT_EQ(codes(third), "limit") << "nobody has met it yet";
    EXPECT_THAT(text(third), HasSubstr("no room within the limit type:noop (2 of 2 jobs run)"));
    acquire("node-1");
    EXPECT_EQ(codes(third), "limit") << "it waits";
    EXPECT_EQ(explained(third)["facts"]["limits"][0]["running"], 2);
    ok({"limit", "set", "type:noop", "--concurrent", "3"});
    EXPECT_THAT(text(third), HasSubstr("a limit, which has room for it now"));
}

TEST_F(CliExplain, A_rate_that_is_used_up_says_until_when) {
    start_node();
    ok({"limit", "set", "type:noop", "--rate", "1/P1D"});
    engine().executor_store().refresh_limits();
    add();
    acquire("node-1");
    const std::string second = add();
    EXPECT_EQ(codes(second), "limit");
    EXPECT_THAT(text(second), HasSubstr("the rate 1/PT24H is used up until 20"));
}

TEST_F(CliExplain, The_manual_shows_commands_that_work) {
    add({"--type", "noop", "--id", "order-17-mail"});
    EXPECT_EQ(run_document("docs/cli.md", "## Why a job does not run"), 2);
}

}  // namespace

}  // namespace jobstrand::test
