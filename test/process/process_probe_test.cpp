#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>

namespace jobstrand {
namespace {

using schema::JobPlace;
using testing::HasSubstr;

/// Jobs that fail while a file is missing, and a service that runs them.
class ProbeTest : public test::ServiceTest {
protected:
    ProbeTest() {
        const std::string call = a_script("call", "test -f \"" + path("back") + "\"");
        configure("[commands.call]\nprogram = \"" + call + "\"\n");
        for (int i = 0; i < 5; ++i) {
            expect_success(
                {"job",
                 "add",
                 "--type",
                 "command",
                 "--payload",
                 R"({"command":"call"})",
                 "--retries",
                 "1"}
            );
        }
        service_ = a_service();
        EXPECT_TRUE(test::eventually([&] { return count(JobPlace::dead_letter) == 5; }));
        const std::string groups = expect_success({"dead", "groups", "-o", "name"});
        group_ = groups.substr(0, groups.find('\n'));
    }

    std::unique_ptr<test::BackgroundProcess> service_;
    std::string group_;
};

// B12: a downstream service was away.
TEST_F(ProbeTest, One_is_tried_and_the_others_follow_when_it_has_succeeded) {
    const std::vector<std::string> requeue{
        "dead", "requeue", "--group", group_, "--probe", "--probe-wait", "30s"};
    const test::ProgramResult too_early = cli(requeue);
    EXPECT_EQ(too_early.exit_code, 1);
    EXPECT_THAT(too_early.err, HasSubstr("failed again and stands in place dead"));
    EXPECT_EQ(count(JobPlace::dead_letter), 5);
    std::ofstream(path("back")) << "yes\n";
    EXPECT_THAT(expect_success(requeue), HasSubstr("4"));
    EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }));
}

}  // namespace
}  // namespace jobstrand
