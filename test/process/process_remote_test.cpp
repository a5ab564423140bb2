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
using testing::StartsWith;

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

    [[nodiscard]] std::vector<std::string> remote_command(const std::vector<std::string>& words
    ) const {
        std::vector<std::string> all{
            test::kJobstrandBinary,
            "--server",
            fmt::format("http://127.0.0.1:{}", port_),
            "--token-file",
            path("token")};
        all.insert(all.end(), words.begin(), words.end());
        return all;
    }

    [[nodiscard]] ProgramResult
    remotely(const std::vector<std::string>& words, const std::string& input = {}) const {
        return run_program(remote_command(words), input);
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

TEST_F(RemoteProcessTest, A_command_runs_here_while_the_service_keeps_its_lock) {
    const ProgramResult run = remotely(
        {"lock",
         "run",
         "books",
         "--",
         test::kJobstrandBinary,
         "lock",
         "ls",
         "-o",
         "name",
         "--db",
         url()}
    );
    EXPECT_EQ(run.exit_code, 0) << run.err;
    EXPECT_EQ(run.out, "books\n");
    EXPECT_EQ(cli({"lock", "acquire", "books", "--owner", "a"}).exit_code, 0);
    const ProgramResult refused = remotely({"lock", "run", "books", "--wait", "0s", "true"});
    EXPECT_EQ(refused.exit_code, 124);
    EXPECT_THAT(refused.err, StartsWith("jobstrand: books is held by a until "));
    EXPECT_EQ(remotely({"lock", "run", "", "true"}).exit_code, 2);
}

TEST_F(RemoteProcessTest, A_lock_whose_service_is_gone_is_lost_at_its_end) {
    const std::string script =
        a_script("hold", "trap 'kill $p; exit 3' TERM; sleep 600 & p=$!; echo started; wait $p");
    BackgroundProcess run(
        remote_command({"lock", "run", "books", "--duration", "1s", script}), path("run.log")
    );
    EXPECT_TRUE(run.wait_for_log("started"));
    service_->kill();
    EXPECT_EQ(run.wait(std::chrono::seconds(30)), 125);
    EXPECT_THAT(
        run.log(), HasSubstr("books was lost while the command ran, which ended with 3: cannot")
    );
}

TEST_F(RemoteProcessTest, A_service_that_says_nothing_keeps_no_lock_run_from_its_end) {
    const std::string script =
        a_script("hold", "trap 'kill $p; exit 3' TERM; sleep 600 & p=$!; echo started; wait $p");
    BackgroundProcess run(
        remote_command({"lock", "run", "books", "--duration", "1s", script}), path("run.log")
    );
    EXPECT_TRUE(run.wait_for_log("started"));
    service_->freeze();
    EXPECT_EQ(run.wait(std::chrono::seconds(30)), 125) << run.log();
    const ProgramResult silent =
        remotely({"lock", "run", "books", "--wait", "0s", "--duration", "1s", "true"});
    EXPECT_EQ(silent.exit_code, 1);
    EXPECT_THAT(silent.err, HasSubstr("no answer from the server"));
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
