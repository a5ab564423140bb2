#include "test/process/binaries.hpp"
#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>

#include <csignal>

namespace jobstrand {
namespace {

using test::ServiceTest;
using testing::HasSubstr;
using testing::Not;

/// SIGHUP: the service reads its configuration file again.
class ReloadTest : public ServiceTest {
protected:
    static constexpr const char* kReadAgain = "the configuration file was read again";

    void add(const std::string& command) const {
        expect_success(
            {"job", "add", "--type", "command", "--payload", R"({"command":")" + command + R"("})"}
        );
    }

    [[nodiscard]] std::string a_command(const std::string& name, const std::string& body) const {
        return "[commands." + name + "]\nprogram = \"" + a_script(name, body) + "\"\n";
    }

    [[nodiscard]] bool all_done() const {
        return test::eventually([&] { return count_all() == 0; });
    }
};

TEST_F(ReloadTest, A_command_that_is_new_in_the_file_runs_and_jobs_that_run_are_not_disturbed) {
    const std::string waiting = a_command(
        "waiting",
        "echo > " + path("started") + "\nwhile ! test -f " + path("go") + "; do sleep 0.01; done"
    );
    const std::string quick = a_command("quick", "echo > " + path("quick-ran"));
    configure(waiting + quick);
    add("waiting");
    add("quick");
    configure(waiting);
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return lines_of("started").size() == 1; }));

    configure(quick);
    service->send(SIGHUP);
    ASSERT_TRUE(service->wait_for_log(kReadAgain));
    EXPECT_TRUE(test::eventually([&] { return lines_of("quick-ran").size() == 1; }));
    EXPECT_TRUE(test::eventually([&] { return count_all() == 1; })) << "the other one still runs";

    std::ofstream(path("go")) << "";
    EXPECT_TRUE(all_done());
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(test::kPatience), 0);
}

TEST_F(ReloadTest, What_it_serves_changes_and_what_cannot_change_is_named) {
    configure("enabledTenants = [\"north\"]\n");
    const auto service = a_service();
    ASSERT_TRUE(service->wait_for_log("ready"));
    expect_success({"job", "add", "--type", "noop", "--tenant", "south"});

    configure("enabledTenants = [\"south\"]\nmaxPoolSize = 3\nlogFormat = \"json\"\n");
    service->send(SIGHUP);
    EXPECT_TRUE(all_done());
    ASSERT_TRUE(service->wait_for_log("these settings count when the service is started again"));
    EXPECT_THAT(service->log(), HasSubstr("settings=\"logFormat, corePoolSize, maxPoolSize\""));
}

TEST_F(ReloadTest, The_level_of_the_log_changes) {
    configure("logLevel = \"warn\"\n");
    const auto service = a_service();
    expect_success({"job", "add", "--type", "log", "--payload", "\"before\""});
    ASSERT_TRUE(all_done());

    configure("logLevel = \"info\"\n");
    service->send(SIGHUP);
    // Written at the level that counted before, it would not be there.
    ASSERT_TRUE(service->wait_for_log(kReadAgain));
    expect_success({"job", "add", "--type", "log", "--payload", "\"afterwards\""});
    ASSERT_TRUE(service->wait_for_log("afterwards"));
    EXPECT_THAT(service->log(), Not(HasSubstr("before")));
}

TEST_F(ReloadTest, A_file_with_a_mistake_changes_nothing) {
    const std::string quick = a_command("quick", "exit 0");
    configure(quick);
    const auto service = a_service();
    ASSERT_TRUE(service->wait_for_log("ready"));

    configure("maxPoolSizes = 3\n");
    service->send(SIGHUP);
    ASSERT_TRUE(service->wait_for_log("the configuration file is not taken over"));
    EXPECT_THAT(service->log(), HasSubstr("maxPoolSizes"));
    configure(quick);
    add("quick");
    EXPECT_TRUE(all_done());
}

TEST_F(ReloadTest, Without_a_file_sighup_stops_the_service) {
    test::BackgroundProcess service(
        {test::kJobstrandBinary, "serve", "--db", url()}, path("service.log")
    );
    ASSERT_TRUE(service.wait_for_log("ready"));
    service.send(SIGHUP);
    EXPECT_EQ(service.wait(test::kPatience), 0);
}

}  // namespace
}  // namespace jobstrand
