#include "test/process/service_fixture.hpp"

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::ServiceTest;

class SeriesTest : public ServiceTest {
protected:
    SeriesTest() {
        const std::string script = a_script("tick", "echo tick >> \"" + path("ran") + "\"");
        configure(
            "defaultTimerJobAcquireWaitTime = 50\ndefaultAsyncJobAcquireWaitTime = 50\n"
            "[commands.tick]\nprogram = \"" +
            script + "\"\n"
        );
    }

    [[nodiscard]] std::size_t runs() const { return lines_of("ran").size(); }

    /// Waits until `more` turns have run from now on.
    [[nodiscard]] bool run_again(std::size_t more) const {
        const std::size_t goal = runs() + more;
        return test::eventually([&] { return runs() >= goal; }, 60s);
    }

    [[nodiscard]] bool nothing_runs() const {
        return test::eventually([&] { return count(JobPlace::executable) == 0; });
    }
};

// R110 R113 R144: another process begins, pauses, resumes and ends what the service runs.
TEST_F(SeriesTest, A_series_is_begun_paused_resumed_and_ended_beside_a_running_service) {
    const auto service = a_service();
    ASSERT_TRUE(service->wait_for_log("ready"));
    expect_success(
        {"job",
         "add",
         "--type",
         "command",
         "--payload",
         R"({"command":"tick"})",
         "--series",
         "ticks",
         "--repeat",
         "R/PT0.2S"}
    );
    ASSERT_TRUE(run_again(3));

    expect_success({"series", "pause", "ticks"});
    ASSERT_TRUE(nothing_runs());
    const std::size_t paused_after = runs();
    EXPECT_EQ(count(JobPlace::suspended), 1);
    EXPECT_EQ(count(JobPlace::timer), 0);
    // A series that goes on beside it shows that time has passed in which the paused one could run.
    expect_success({"job", "add", "--type", "noop", "--id", "beside", "--repeat", "R5/PT0.2S"});
    ASSERT_TRUE(test::eventually([&] {
        return expect_success({"series", "show", "beside", "-o", "json"}).find("\"ended\"") !=
               std::string::npos;
    }));
    EXPECT_EQ(runs(), paused_after);

    expect_success({"series", "resume", "ticks"});
    ASSERT_TRUE(run_again(2));

    expect_success({"series", "end", "ticks"});
    ASSERT_TRUE(nothing_runs());
    EXPECT_EQ(count_all(), 0);
    EXPECT_EQ(cli({"series", "pause", "ticks"}).exit_code, 5);
    expect_success({"series", "rm", "ticks"});
    EXPECT_EQ(cli({"series", "show", "ticks"}).exit_code, 4);
}

}  // namespace
}  // namespace jobstrand
