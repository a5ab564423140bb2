#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>

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
        const std::string folder = directory.path();
        const std::string script = a_script(
            "patient",
            "trap 'echo told >>" + folder + "/ends; exit 0' TERM\n" + "echo $$ >>" + folder +
                "/programs\n" + "while :; do sleep 0.05; done\n"
        );
        std::ofstream(path("config.toml"))
            << "db = \"" << url() << "\"\nasyncExecutorAsyncJobLockTimeInMillis = 600000\n"
            << "[commands.patient]\nprogram = \"" << script << "\"\ntimeLimit = \"PT10M\"\n";
    }
};

TEST_F(CancelTest, A_running_program_gets_SIGTERM_and_its_job_keeps_the_reason) {
    const std::string id =
        expect_success({"job", "add", "--type", "command", "--payload", R"({"command":"patient"})"}
        );
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return lines_of("programs").size() == 1; }, 30s));

    expect_success(
        {"job", "cancel", id.substr(0, id.size() - 1), "--by", "ada", "--reason", "wrong file"}
    );
    const auto dead = store->list(JobPlace::dead_letter, {}, "", 10);
    ASSERT_EQ(dead.size(), 1U);
    EXPECT_EQ(dead[0].exception_message, "cancelled by ada: wrong file");

    ASSERT_TRUE(test::eventually([&] { return !lines_of("ends").empty(); }, 30s));
    EXPECT_THAT(lines_of("ends"), ElementsAre("told"));
    ASSERT_TRUE(service->wait_for_log("it is told to stop"));
    ASSERT_TRUE(service->wait_for_log("result discarded"));
    EXPECT_EQ(count(JobPlace::dead_letter), 1) << "it stays what it is";
    EXPECT_EQ(lines_of("programs").size(), 1U) << "it does not run again";
}

}  // namespace
}  // namespace jobstrand
