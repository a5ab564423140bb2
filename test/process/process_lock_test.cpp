#include "test/process/service_fixture.hpp"

#include <gmock/gmock.h>
#include <nlohmann/json.hpp>

#include <csignal>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using test::BackgroundProcess;
using test::ServiceTest;
using testing::HasSubstr;

/// Processes that want the same lock.
class LockTest : public ServiceTest {
protected:
    LockTest() { configure(""); }

    [[nodiscard]] std::vector<std::string>
    words(const std::string& verb, const std::string& owner, const std::string& time) const {
        return {"lock", verb, "books", "--owner", owner, "--duration", time, "-o", "json"};
    }

    [[nodiscard]] std::int64_t token_of(const std::string& out) const {
        return nlohmann::json::parse(out).at("token").get<std::int64_t>();
    }
};

TEST_F(LockTest, Of_several_processes_at_the_same_time_exactly_one_gets_it) {
    std::vector<std::unique_ptr<BackgroundProcess>> processes;
    for (int i = 0; i < 5; ++i) {
        const std::string owner = "p" + std::to_string(i);
        processes.push_back(std::make_unique<BackgroundProcess>(
            command(words("acquire", owner, "10m")), path(owner + ".log")
        ));
    }
    int holders = 0;
    for (const auto& process : processes) {
        const auto code = process->wait(30s);
        ASSERT_TRUE(code == 0 || code == 5) << process->log();
        holders += code == 0 ? 1 : 0;
    }
    EXPECT_EQ(holders, 1);
}

TEST_F(LockTest, One_whose_process_is_gone_is_free_when_its_time_is_over) {
    const std::int64_t first = token_of(expect_success(words("acquire", "a", "1s")));
    const test::ProgramResult refused = cli(words("acquire", "b", "1m"));
    EXPECT_EQ(refused.exit_code, 5);
    EXPECT_THAT(refused.err, HasSubstr("books is held by a until "));
    test::ProgramResult taken;
    EXPECT_TRUE(test::eventually([&] {
        taken = cli(words("acquire", "b", "1m"));
        return taken.exit_code == 0;
    }));
    EXPECT_GT(token_of(taken.out), first);
    EXPECT_EQ(cli(words("renew", "a", "1m")).exit_code, 5);
    EXPECT_EQ(cli({"lock", "release", "books", "--owner", "a"}).exit_code, 4);
    expect_success({"lock", "release", "books", "--owner", "b"});
}

TEST_F(LockTest, A_killed_holder_has_it_until_its_time_is_over_and_no_longer) {
    const std::int64_t first = token_of(expect_success(words("acquire", "a", "2s")));
    std::string renewal;
    for (const std::string& word : command(words("renew", "a", "2s"))) {
        renewal += "'" + word + "' ";
    }
    const std::string script = a_script(
        "hold",
        "while " + renewal + "> /dev/null; do echo renewed >> \"" + path("renewals") + "\"; done"
    );
    BackgroundProcess holder({script}, path("holder.log"));
    const auto renewals = [this] { return lines_of("renewals").size(); };
    EXPECT_TRUE(test::eventually([&] { return renewals() > 3; }));
    EXPECT_EQ(cli(words("acquire", "b", "1m")).exit_code, 5);
    holder.send(SIGKILL);
    EXPECT_TRUE(holder.wait(10s).has_value());
    test::ProgramResult taken;
    EXPECT_TRUE(test::eventually([&] {
        taken = cli(words("acquire", "b", "1m"));
        return taken.exit_code == 0;
    }));
    EXPECT_GT(token_of(taken.out), first);
}

}  // namespace
}  // namespace jobstrand
