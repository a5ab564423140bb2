#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>

#include <algorithm>
#include <memory>
#include <vector>

namespace jobstrand {
namespace {

using testing::HasSubstr;

constexpr int kAllowed = 5;
constexpr int kLimitedJobs = 24;

/// Four services on one database, and jobs of which five may run at the same time.
class LimitTest : public test::ServiceTest {
protected:
    LimitTest() {
        const std::string step = a_script(
            "step",
            "echo begin >> \"" + path("steps") + "\"\n" +  //
                "while ! test -f \"" + path("go") + "\"; do sleep 0.02; done\n" + "echo end >> \"" +
                path("steps") + "\""
        );
        std::ofstream(path("config.toml")) << "db = \"" << url() << "\"\n"
                                           << "[commands.step]\nprogram = \"" << step << "\"\n";
    }

    void add_steps() {
        for (int i = 0; i < kLimitedJobs; ++i) {
            expect_success({"job", "add", "--type", "command", "--payload", R"({"command":"step"})"}
            );
        }
    }

    void let_go() const { std::ofstream(path("go")) << "now\n"; }

    /// How many ran at the same time at most.
    [[nodiscard]] int most_at_once() {
        int running = 0;
        int most = 0;
        for (const std::string& line : lines_of("steps")) {
            running += line == "begin" ? 1 : -1;
            most = std::max(most, running);
        }
        return most;
    }
};

// B7
TEST_F(LimitTest, Four_services_never_run_more_than_it_allows_and_all_run_in_the_end) {
    expect_success({"limit", "set", "type:command", "--concurrent", std::to_string(kAllowed)});
    add_steps();
    std::vector<decltype(a_service())> services;
    for (int i = 0; i < 4; ++i) {
        services.push_back(a_service());
    }
    ASSERT_TRUE(test::eventually([&] { return lines_of("steps").size() == kAllowed; }));
    EXPECT_THAT(expect_success({"limit", "ls", "-o", "json"}), HasSubstr("\"running\":5"));
    let_go();
    EXPECT_TRUE(test::eventually([&] { return count_all() == 0; }));
    EXPECT_EQ(lines_of("steps").size(), 2 * kLimitedJobs);
    EXPECT_EQ(most_at_once(), kAllowed);
}

}  // namespace
}  // namespace jobstrand
