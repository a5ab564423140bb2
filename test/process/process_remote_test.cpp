#include "test/process/binaries.hpp"
#include "test/process/service_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cstdlib>
#include <filesystem>

namespace jobstrand {
namespace {

using test::BackgroundProcess;
using test::ProgramResult;
using test::run_program;
using testing::HasSubstr;

/// `jobstrand --server` and `jobstrand serve` as two processes.
class RemoteProcessTest : public test::ServiceTest {
protected:
    RemoteProcessTest() {
        configure(fmt::format("httpTokenFile = \"{}\"\n", path("tokens")));
        std::ofstream(path("token")
        ) << expect_success({"token", "make", "ops", "--role", "admin", "--file", path("tokens")});
        std::filesystem::permissions(path("token"), std::filesystem::perms::owner_read);
        service_ = std::make_unique<BackgroundProcess>(
            command({"serve", "--no-executor", "--http", "127.0.0.1:0"}), path("service.log")
        );
        EXPECT_TRUE(service_->wait_for_log("clock_skew_ms="));
        const std::string log = service_->log();
        port_ = std::atoi(log.c_str() + log.find(" port=") + 6);
    }

    [[nodiscard]] ProgramResult
    remotely(const std::vector<std::string>& words, const std::string& input = {}) const {
        std::vector<std::string> all{
            test::kJobstrandBinary,
            "--server",
            fmt::format("http://127.0.0.1:{}", port_),
            "--token-file",
            path("token")};
        all.insert(all.end(), words.begin(), words.end());
        return run_program(all, input);
    }

    /// Each of them in its turn.
    void expect_same(const std::vector<std::string>& words) const {
        const ProgramResult there = remotely(words);
        const ProgramResult here = cli(words);
        EXPECT_EQ(there.out, here.out) << testing::PrintToString(words);
        EXPECT_EQ(there.err, here.err) << testing::PrintToString(words);
        EXPECT_EQ(there.exit_code, here.exit_code) << testing::PrintToString(words);
    }

    std::unique_ptr<BackgroundProcess> service_;

private:
    int port_ = 0;
};

TEST_F(RemoteProcessTest, A_pipe_of_verbs_works_through_a_service) {
    const ProgramResult added = remotely(
        {"job", "add", "--from", "-"},
        "{\"handlerType\":\"mail\"}\n{\"handlerType\":\"mail\"}\n{\"handlerType\":\"report\"}\n"
    );
    EXPECT_EQ(added.exit_code, 0) << added.err;
    EXPECT_EQ(count_all(), 3);
    expect_same({"job", "ls"});
    expect_same({"job", "ls", "--type", "mail", "-o", "json"});
    expect_same({"stats", "--by-type"});
    expect_same({"job", "show", "gone"});
    expect_same({"job", "rm", "--all"});
    const std::string mails = remotely({"job", "ls", "--type", "mail", "-o", "name"}).out;
    EXPECT_EQ(remotely({"job", "rm", "-"}, mails).exit_code, 0);
    EXPECT_EQ(count_all(), 1);
    EXPECT_EQ(remotely({"job", "rm", "--all", "--yes"}).exit_code, 0);
    EXPECT_EQ(count_all(), 0);
}

TEST_F(RemoteProcessTest, A_service_that_is_gone_is_told) {
    service_->kill();
    const ProgramResult away = remotely({"stats"});
    EXPECT_EQ(away.exit_code, 1);
    EXPECT_EQ(away.out, "");
    EXPECT_THAT(away.err, HasSubstr("cannot connect to the server 127.0.0.1:"));
}

}  // namespace
}  // namespace jobstrand
