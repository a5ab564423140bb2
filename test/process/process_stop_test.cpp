#include "persistence/drivers/database_url.hpp"
#include "test/fixtures/open_connection.hpp"
#include "test/process/service_fixture.hpp"

#include <csignal>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::ServiceTest;

/// A program that runs until the file `go` is there, and says when it has started and ended.
std::string waiting_script(const std::string& directory) {
    return "echo started >> \"" + directory + "/started\"\n" +  //
           "while ! test -f \"" + directory + "/go\"; do sleep 0.01; done\n" + "echo ended >> \"" +
           directory + "/ended\"";
}

class StopTest : public ServiceTest {
protected:
    StopTest() {
        const std::string script = a_script("waiting", waiting_script(directory.path().string()));
        configure(
            "asyncExecutorCorePoolSize = 2\nasyncExecutorMaxPoolSize = 2\n"
            "[commands.waiting]\nprogram = \"" +
            script + "\"\n"
        );
        std::string lines;
        for (int i = 0; i < 6; ++i) {
            lines += R"({"handlerType":"command","payload":{"command":"waiting"}})";
            lines += "\n";
        }
        expect_success({"job", "add", "--from", "-"}, lines);
    }

    [[nodiscard]] bool two_jobs_run() const {
        return test::eventually([&] { return lines_of("started").size() == 2; });
    }
};

// R174
TEST_F(StopTest, Sigterm_lets_running_jobs_finish_frees_queued_ones_and_exits_with_0) {
    const auto service = a_service();
    ASSERT_TRUE(two_jobs_run());
    service->send(SIGTERM);
    EXPECT_TRUE(test::eventually([&] { return count(JobPlace::executable, {.locked = false}) == 4; }
    ));
    EXPECT_EQ(service->wait(1ms), std::nullopt);
    std::ofstream(path("go")) << "";
    EXPECT_EQ(service->wait(test::kPatience), 0);
    EXPECT_EQ(lines_of("ended").size(), 2U);
    EXPECT_EQ(count(JobPlace::executable), 4);
    EXPECT_EQ(count_all(), 4);
}

TEST_F(StopTest, A_second_sigterm_stops_at_once_and_loses_nothing) {
    const auto service = a_service();
    ASSERT_TRUE(two_jobs_run());
    service->send(SIGTERM);
    ASSERT_TRUE(service->wait_for_log("a second signal stops them"));
    service->send(SIGTERM);
    EXPECT_TRUE(service->wait(test::kPatience));
    EXPECT_TRUE(lines_of("ended").empty());
    EXPECT_EQ(count_all(), 6);
    for (const JobPlace place : {JobPlace::executable, JobPlace::timer}) {
        for (const schema::Job& job : store->jobs().list(place, {}, "", 10)) {
            EXPECT_EQ(job.retries, 3);
            EXPECT_TRUE(job.lock_owner.empty());
        }
    }
}

/// A service that waits for as long as it takes until others have written.
class PatientStopTest : public ServiceTest {
protected:
    PatientStopTest() {
        std::ofstream(path("config.toml")) << "db = \"" << url() << "?busy_timeout=PT5M\"\n"
                                           << "awaitTerminationPeriod = \"PT0S\"\n";
    }
};

TEST_F(PatientStopTest, A_database_that_does_not_answer_does_not_keep_it_from_stopping) {
    const auto service = a_service();
    ASSERT_TRUE(service->wait_for_log("ready"));
    const auto other =
        test::open_connection(persistence::parse_database_url(url() + "?busy_timeout=PT10S").value()
        );
    other->begin();
    service->send(SIGTERM);
    EXPECT_EQ(service->wait(100s), 1);
    other->rollback();
}

}  // namespace
}  // namespace jobstrand
