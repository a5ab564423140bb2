#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>
#include <sys/types.h>

#include <csignal>
#include <string>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using testing::ElementsAre;
using testing::HasSubstr;

/// A service with locks so long that their renewal would tell nothing for minutes.
class CancelTest : public test::ServiceTest {
protected:
    CancelTest() {
        std::ofstream(path("config.toml"))
            << "db = \"" << url() << "\"\nasyncExecutorAsyncJobLockTimeInMillis = 600000\n"
            << command_of("patient", "exit 0") << command_of("stubborn", ":");
    }

    /// A command that does this when it is told to stop.
    [[nodiscard]] std::string command_of(const std::string& name, const std::string& when_told)
        const {
        const std::string script = a_script(
            name,
            "trap 'echo told >>" + path("ends") + "; " + when_told + "' TERM\n" + "echo $$ >>" +
                path("programs") + "\n" + "while :; do sleep 0.05; done\n"
        );
        return "[commands." + name + "]\nprogram = \"" + script + "\"\ntimeLimit = \"PT10M\"\n";
    }

    [[nodiscard]] std::string add(const std::string& command) const {
        std::string id = expect_success(
            {"job", "add", "--type", "command", "--payload", "{\"command\":\"" + command + "\"}"}
        );
        id.pop_back();
        return id;
    }
};

TEST_F(CancelTest, A_running_program_gets_SIGTERM_and_its_job_keeps_the_reason) {
    const std::string id = add("patient");
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return lines_of("programs").size() == 1; }, 30s));

    expect_success({"job", "cancel", id, "--by", "ada", "--reason", "wrong file"});
    const auto dead = store->jobs().list(JobPlace::dead_letter, {}, "", 10);
    ASSERT_EQ(dead.size(), 1U);
    EXPECT_EQ(dead[0].exception_message, "cancelled by ada: wrong file");

    ASSERT_TRUE(test::eventually([&] { return !lines_of("ends").empty(); }, 30s));
    EXPECT_THAT(lines_of("ends"), ElementsAre("told"));
    ASSERT_TRUE(service->wait_for_log("it is told to stop"));
    ASSERT_TRUE(service->wait_for_log("result discarded"));
    EXPECT_EQ(count(JobPlace::dead_letter), 1) << "it stays what it is";
    EXPECT_EQ(lines_of("programs").size(), 1U) << "it does not run again";
}

TEST_F(CancelTest, A_running_program_that_does_not_listen_gets_SIGKILL) {
    const std::string id = add("stubborn");
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return lines_of("programs").size() == 1; }, 30s));
    const pid_t program = std::stoi(lines_of("programs").front());
    expect_success({"job", "cancel", id, "--reason", "wrong file"});
    ASSERT_TRUE(test::eventually([&] { return ::kill(program, 0) != 0; }, 30s));
    EXPECT_THAT(lines_of("ends"), ElementsAre("told"));
    ASSERT_TRUE(service->wait_for_log("result discarded"));
    EXPECT_EQ(count(JobPlace::dead_letter), 1);
}

}  // namespace
}  // namespace jobstrand
