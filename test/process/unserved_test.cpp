#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using schema::JobPlace;
using test::ServiceTest;
using testing::HasSubstr;

/// Jobs that the service at hand cannot run (I7).
class UnservedTest : public ServiceTest {
protected:
    static constexpr int kJobs = 1000;

    void add_jobs(const std::string& job) {
        std::string lines;
        for (int i = 0; i < kJobs; ++i) {
            lines += job + "\n";
        }
        expect_success({"job", "add", "--from", "-"}, lines);
    }

    /// All jobs have been looked at, and are free again.
    [[nodiscard]] bool all_wait(const std::string& needs) {
        return test::eventually([&] {
            const auto jobs = store->jobs().list(JobPlace::executable, {}, "", 2 * kJobs);
            return std::ranges::all_of(jobs, [&](const schema::Job& job) {
                return job.needs == needs && job.lock_owner.empty();
            });
        });
    }

    void expect_unharmed() {
        for (const schema::Job& job : store->jobs().list(JobPlace::executable, {}, "", 2 * kJobs)) {
            ASSERT_EQ(job.retries, 3);
            ASSERT_EQ(job.attempts, 0);
            ASSERT_EQ(job.exception_message, "");
        }
        EXPECT_EQ(count(JobPlace::executable), kJobs);
        EXPECT_EQ(count_all(), kJobs);
    }
};

TEST_F(UnservedTest, Command_jobs_wait_for_a_node_that_has_their_command) {
    const std::string quick = "[commands.quick]\nprogram = \"/bin/true\"\n";
    configure(quick);
    add_jobs(R"({"handlerType":"command","payload":{"command":"quick"}})");
    const std::string id = store->jobs().list(JobPlace::executable, {}, "", 1).front().id;

    configure("[commands.other]\nprogram = \"/bin/false\"\n");
    {
        const auto without = a_service();
        ASSERT_TRUE(all_wait("[commands.quick]"));
        ASSERT_TRUE(without->wait_for_log("nobody here serves this kind of job"));
        EXPECT_THAT(without->log(), HasSubstr("handler_type=command needs=[commands.quick] jobs="));
        EXPECT_THAT(
            cli({"stats"}).err,
            HasSubstr("nobody serves command that needs [commands.quick]: 1000 jobs wait")
        );
        EXPECT_THAT(
            expect_success({"job", "show", id, "-o", "json"}),
            HasSubstr(R"("nobodyServes":"[commands.quick]")")
        );
        expect_unharmed();
    }
    configure(quick);
    const auto with = a_service();
    EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }, 120s));
    EXPECT_EQ(with->log().find("dead"), std::string::npos);
}

TEST_F(UnservedTest, Jobs_of_a_misspelt_handler_type_wait_and_are_named) {
    add_jobs(R"({"handlerType":"emial"})");
    const auto service = a_service();
    ASSERT_TRUE(service->wait_for_log("nobody here serves this kind of job"));
    EXPECT_THAT(service->log(), HasSubstr("handler_type=emial jobs=1000"));
    EXPECT_THAT(cli({"stats"}).err, HasSubstr("nobody serves emial: 1000 jobs wait"));
    expect_unharmed();
}

TEST_F(UnservedTest, A_payload_that_names_no_command_fails_because_no_configuration_helps) {
    expect_success({"job", "add", "--type", "command", "--payload", R"({"order":17})"});
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return count(JobPlace::dead_letter) == 1; }));
    const schema::Job dead = store->jobs().list(JobPlace::dead_letter, {}, "", 1).front();
    EXPECT_THAT(dead.exception_message, HasSubstr("needs \"command\": \"NAME\""));
}

}  // namespace
}  // namespace jobstrand
