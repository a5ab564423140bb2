#include "test/process/service_fixture.hpp"

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::ServiceTest;

// R063 R068 R157 R158
TEST_F(ServiceTest, Jobs_that_always_fail_run_three_times_then_are_repaired_and_requeued) {
    constexpr int jobs = 100;
    const std::string script = a_script(
        "fragile",
        "echo \"$JOBSTRAND_JOB_ID\" >> \"" + path("ran") + "\"\n" +  //
            "test -f \"" + path("repaired") + "\" && exit 0\n" +     //
            "echo 'the disk is on fire'\nexit 3"
    );
    configure("[commands.fragile]\nprogram = \"" + script + "\"\n");
    std::string lines;
    for (int i = 0; i < jobs; ++i) {
        lines +=
            R"({"handlerType":"command","payload":{"command":"fragile"},"retryCycle":"R3/PT1S"})";
        lines += "\n";
    }
    expect_success({"job", "add", "--from", "-"}, lines);
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return count(JobPlace::dead_letter) == jobs; }, 60s));

    std::map<std::string, int> runs;
    for (const std::string& id : lines_of("ran")) {
        ++runs[id];
    }
    EXPECT_EQ(runs.size(), jobs);
    for (const auto& [id, times] : runs) {
        EXPECT_EQ(times, 3) << id;
    }
    for (const schema::Job& job : store->jobs().list(JobPlace::dead_letter, {}, "", jobs)) {
        EXPECT_NE(job.exception_message.find("exit code 3"), std::string::npos);
        EXPECT_NE(
            store->jobs().exception_details(job).find("the disk is on fire"), std::string::npos
        );
    }
    const std::string some_id = runs.begin()->first;
    EXPECT_NE(
        expect_success({"dead", "show", some_id}).find("the disk is on fire"), std::string::npos
    );

    std::ofstream(path("repaired")) << "yes";
    expect_success({"dead", "requeue", "--all", "--retries", "1"});
    EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }, 60s));
    EXPECT_EQ(lines_of("ran").size(), 4U * jobs);
}

}  // namespace
}  // namespace jobstrand
