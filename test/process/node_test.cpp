#include "persistence/drivers/database_url.hpp"
#include "persistence/sql/db_error.hpp"
#include "test/fixtures/open_connection.hpp"
#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>

#include <csignal>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using testing::HasSubstr;

/// Services that die, stop for a while, and are drained. Locks last far longer than each test, so
/// that only a lease can end them.
class NodeTest : public test::ServiceTest {
protected:
    NodeTest() { configure_nodes("nodeLease = 600\n"); }

    void configure_nodes(const std::string& more) const {
        const std::string hold = a_script(
            "hold",
            "echo started >> \"" + path("started") + "\"\n" +  //
                "while ! test -f \"" + path("go") + "\"; do sleep 0.02; done\n" + "echo ran >> \"" +
                path("ran") + "\""
        );
        std::ofstream(path("config.toml")) << "db = \"" << url() << "\"\n"
                                           << "asyncExecutorAsyncJobLockTimeInMillis = 600000\n"
                                           << more  //
                                           << "[commands.hold]\nprogram = \"" << hold << "\"\n";
    }

    void add_hold() {
        expect_success({"job", "add", "--type", "command", "--payload", R"({"command":"hold"})"});
    }

    void let_go() const { std::ofstream(path("go")) << "now\n"; }

    /// Not while it writes: then it would keep all others from the file.
    void freeze(const test::BackgroundProcess& node) const {
        ASSERT_TRUE(test::eventually([&] {
            node.freeze();
            if (others_can_write()) {
                return true;
            }
            node.send(SIGCONT);
            return false;
        }));
    }

    [[nodiscard]] std::size_t starts() const { return lines_of("started").size(); }

    [[nodiscard]] bool others_can_write() const {
        try {
            const auto other = test::open_connection(
                persistence::parse_database_url(url() + "?busy_timeout=PT0.2S").value()
            );
            other->run_script("BEGIN IMMEDIATE; ROLLBACK");
            return true;
        } catch (const persistence::DbError&) {
            return false;
        }
    }

    [[nodiscard]] std::string only_node() { return expect_success({"node", "ls", "-o", "name"}); }
};

TEST_F(NodeTest, A_killed_node_s_job_runs_elsewhere_when_its_lease_is_over) {
    add_hold();
    const auto killed = a_service();
    ASSERT_TRUE(test::eventually([&] { return starts() == 1; }));
    killed->kill();
    const auto other = a_service();
    ASSERT_TRUE(test::eventually([&] { return starts() == 2; }));
    let_go();
    EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }));
    EXPECT_THAT(other->log(), HasSubstr("a node has not renewed its lease"));
}

TEST_F(NodeTest, Others_see_since_when_a_job_runs_and_how_many_were_run) {
    add_hold();
    const auto service = a_service();
    std::string id = expect_success({"job", "ls", "-o", "name"});
    id.pop_back();
    ASSERT_TRUE(test::eventually([&] {
        return expect_success({"job", "show", id, "-o", "json"}).find("\"runningSince\":\"20") !=
               std::string::npos;
    }));
    let_go();
    EXPECT_TRUE(test::eventually([&] {
        return expect_success({"stats", "--by-type", "-o", "json"}).find("\"runsLastMinute\":1") !=
               std::string::npos;
    }));
}

TEST_F(NodeTest, A_restart_under_its_own_name_has_its_jobs_long_before_its_lease_is_over) {
    configure_nodes("nodeLease = 600000\nlockOwner = \"node-1\"\n");
    add_hold();
    const auto killed = a_service();
    ASSERT_TRUE(test::eventually([&] { return starts() == 1; }));
    killed->kill();
    const auto restarted = a_service();
    ASSERT_TRUE(test::eventually([&] { return starts() == 2; }));
    let_go();
    EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }));
}

// I3
TEST_F(NodeTest, A_frozen_node_that_thaws_writes_nothing_and_goes_on_with_other_jobs) {
    add_hold();
    const auto frozen =
        std::make_unique<test::BackgroundProcess>(command({"serve"}), path("frozen.log"));
    ASSERT_TRUE(test::eventually([&] { return starts() == 1; }));
    freeze(*frozen);
    {
        const auto other = a_service();
        ASSERT_TRUE(test::eventually([&] { return starts() == 2; })) << other->log();
        frozen->send(SIGCONT);
        ASSERT_TRUE(frozen->wait_for_log("this node's lease was over"));
        ASSERT_TRUE(frozen->wait_for_log("lock lost"));
        let_go();
        EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }));
        other->send(SIGTERM);
        EXPECT_EQ(other->wait(10s), 0);
    }
    add_hold();
    EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }));
}

TEST_F(NodeTest, A_drained_node_ends_what_it_holds_and_takes_nothing_until_it_is_resumed) {
    add_hold();
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return starts() == 1; }));
    std::string node = only_node();
    node.pop_back();
    expect_success({"node", "drain", node});
    ASSERT_TRUE(service->wait_for_log("this node is drained"));
    add_hold();
    let_go();
    expect_success({"node", "drain", node, "--wait"});
    EXPECT_EQ(count_all(), 1);
    EXPECT_EQ(starts(), 1U);
    EXPECT_THAT(expect_success({"node", "ls", "-o", "json"}), HasSubstr(R"("state":"draining")"));
    EXPECT_THAT(expect_success({"stats", "-o", "json"}), HasSubstr(R"("handlerType":"command")"))
        << "nobody serves the job that waits";
    expect_success({"node", "resume", node});
    EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }));
}

TEST_F(NodeTest, A_node_that_stops_is_not_listed_any_more) {
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return !only_node().empty(); }));
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(10s), 0);
    EXPECT_EQ(only_node(), "");
}

TEST_F(NodeTest, A_node_that_is_not_there_cannot_be_drained) {
    const test::ProgramResult result = cli({"node", "drain", "nobody", "--wait"});
    EXPECT_EQ(result.exit_code, 4);
    EXPECT_THAT(result.err, HasSubstr("there is no living node nobody: `jobstrand node ls`"));
}

}  // namespace
}  // namespace jobstrand
