#include "test/process/service_fixture.hpp"

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;

/// A service that runs a program which must not run twice at once: it says so when it does.
class ProgramKills : public test::ServiceTest {
protected:
    ProgramKills() {
        lock_ms = 1000;
        const std::string folder = directory.path();
        const std::string script = a_script(
            "alone",
            "exec 9>" + folder + "/alone.lock\n" +
                "flock -n 9 || echo $JOBSTRAND_FENCING_TOKEN >>" + folder + "/overlaps\n" +
                "sleep 600 9>&9 &\n" +  // A child, which holds the lock as well.
                "echo $! >>" + folder + "/children\n" + "echo $$ >>" + folder + "/programs\n" +
                "[ -e " + folder + "/enough ] || wait\n"
        );
        // Here it is not the job that kills the service.
        configure(
            "maxLostStarts = 1000\n[commands.alone]\nprogram = \"" + script +
            "\"\ntimeLimit = \"PT10M\"\n"
        );
    }

    void add_job() {
        expect_success({"job", "add", "--type", "command", "--payload", R"({"command":"alone"})"});
    }

    [[nodiscard]] static bool is_gone(const std::string& pid) {
        return !test::is_running(std::stoi(pid));
    }
};

// I3, on one machine: also when the service dies by SIGKILL.
TEST_F(ProgramKills, No_two_runs_of_a_program_overlap_whatever_kills_the_service) {
    add_job();
    for (std::size_t kill = 1; kill <= 5; ++kill) {
        const auto service = a_service();
        ASSERT_TRUE(test::eventually([&] { return lines_of("programs").size() >= kill; }, 30s));
        service->kill();
    }
    std::ofstream(path("enough")) << "now\n";
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return count_all() == 0; }, 30s));
    EXPECT_EQ(lines_of("programs").size(), 6U);
    EXPECT_TRUE(lines_of("overlaps").empty());
}

TEST_F(ProgramKills, A_killed_service_takes_its_programs_and_their_children_with_it) {
    add_job();
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return lines_of("programs").size() == 1; }));
    EXPECT_FALSE(is_gone(lines_of("children").front()));
    service->kill();
    for (const char* name : {"programs", "children"}) {
        EXPECT_TRUE(test::eventually([&] { return is_gone(lines_of(name).front()); })) << name;
    }
    EXPECT_EQ(count(JobPlace::executable), 1) << "it runs again when its lock expires";
}

TEST_F(ProgramKills, A_service_that_is_forced_to_stop_leaves_no_program_behind) {
    add_job();
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return lines_of("programs").size() == 1; }));
    service->send(SIGTERM);
    ASSERT_TRUE(service->wait_for_log("stopping"));
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(30s), 0);
    EXPECT_TRUE(test::eventually([&] { return is_gone(lines_of("children").front()); }));
    EXPECT_EQ(count(JobPlace::timer), 1) << "interrupted, without a retry";
}

}  // namespace
}  // namespace jobstrand
