#include "test/process/binaries.hpp"
#include "test/process/service_fixture.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <nlohmann/json.hpp>
#include <sys/types.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand {

namespace {

using schema::JobPlace;
using test::BackgroundProcess;
using test::ProgramResult;
using test::run_program;
using test::ServiceTest;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::MatchesRegex;
using testing::StartsWith;
using namespace std::chrono_literals;

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

    /// Of the process that gets it as soon as it is free.
    [[nodiscard]] std::int64_t token_of_b() const {
        ProgramResult taken;
        EXPECT_TRUE(test::eventually([&] {
            taken = cli(words("acquire", "b", "1m"));
            return taken.exit_code == 0;
        }));
        return token_of(taken.out);
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
    const ProgramResult refused = cli(words("acquire", "b", "1m"));
    EXPECT_EQ(refused.exit_code, 5);
    EXPECT_THAT(refused.err, HasSubstr("books is held by a until "));
    EXPECT_GT(token_of_b(), first);
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
    EXPECT_GT(token_of_b(), first);
}

/// `lock run`, whose command says what it gets and waits.
class LockRunTest : public LockTest {
protected:
    [[nodiscard]] std::vector<std::string>
    run_words(const std::string& time, const std::vector<std::string>& program) const {
        std::vector<std::string> words = command({"lock", "run", "books", "--duration", time});
        words.emplace_back("--");
        words.insert(words.end(), program.begin(), program.end());
        return words;
    }

    /// Ends with 3 at SIGTERM, with 4 at SIGINT.
    [[nodiscard]] std::string a_waiting_script() const {
        return a_script(
            "wait",
            "trap 'echo got TERM; kill $p; exit 3' TERM\n"
            "trap 'echo got INT; kill $p; exit 4' INT\n"
            "sleep 600 &\n"
            "p=$!\n"
            "echo started\n"
            "wait $p"
        );
    }

    [[nodiscard]] std::unique_ptr<BackgroundProcess> started(const std::string& time) const {
        auto run = std::make_unique<BackgroundProcess>(
            run_words(time, {a_waiting_script()}), path("run.log")
        );
        EXPECT_TRUE(run->wait_for_log("started")) << run->log();
        return run;
    }

    /// The same, begun by a shell that has it ignore a signal.
    [[nodiscard]] std::vector<std::string>
    ignoring(const std::string& signal, const std::vector<std::string>& words) const {
        std::string script = "trap '' " + signal + "; exec";
        for (const std::string& word : words) {
            script += " '" + word + "'";
        }
        return {"/bin/sh", "-c", script};
    }

    [[nodiscard]] nlohmann::json held() const {
        return nlohmann::json::parse(expect_success({"lock", "ls", "-o", "json"}));
    }
};

TEST_F(LockRunTest, It_is_renewed_while_the_command_runs_and_free_behind_it) {
    const auto run = started("1s");
    const nlohmann::json first = held().at(0);
    EXPECT_TRUE(test::eventually([&] {
        const nlohmann::json locks = held();
        return locks.size() == 1 && locks[0]["until"] > first["until"] &&
               locks[0]["token"] == first["token"];
    }));
    EXPECT_EQ(cli(words("acquire", "b", "1m")).exit_code, 5);
    run->send(SIGTERM);
    EXPECT_EQ(run->wait(30s), 3) << run->log();
    EXPECT_EQ(held(), nlohmann::json::array());
}

TEST_F(LockRunTest, Its_signals_go_to_the_command_whose_exit_code_is_its_own) {
    const auto interrupted = started("1m");
    interrupted->send(SIGINT);
    EXPECT_EQ(interrupted->wait(30s), 4) << interrupted->log();
    EXPECT_THAT(interrupted->log(), HasSubstr("got INT"));
    BackgroundProcess killed(run_words("1m", {"sh", "-c", "kill -9 $$"}), path("killed.log"));
    EXPECT_EQ(killed.wait(30s), 128 + SIGKILL);
    BackgroundProcess careless(
        ignoring("CHLD", run_words("1m", {"sh", "-c", "exit 3"})), path("careless.log")
    );
    EXPECT_EQ(careless.wait(30s), 3);
    EXPECT_EQ(held(), nlohmann::json::array());
}

TEST_F(LockRunTest, The_command_of_a_lock_that_is_lost_gets_SIGTERM_and_it_is_said) {
    const auto run = started("1s");
    const std::string owner = held().at(0).at("owner").get<std::string>();
    expect_success({"lock", "release", "books", "--owner", owner});
    EXPECT_EQ(run->wait(30s), 125) << run->log();
    EXPECT_THAT(run->log(), HasSubstr("got TERM"));
    EXPECT_THAT(
        run->log(),
        HasSubstr("books was lost while the command ran, which ended with 3: it was not its own")
    );
}

TEST_F(LockRunTest, A_lock_that_is_lost_unseen_is_told_when_the_command_has_ended) {
    const auto run = started("10m");
    const std::string owner = held().at(0).at("owner").get<std::string>();
    expect_success({"lock", "release", "books", "--owner", owner});
    expect_success(words("acquire", "b", "1m"));
    run->send(SIGTERM);
    EXPECT_EQ(run->wait(30s), 125) << run->log();
    EXPECT_EQ(held().at(0).at("owner"), "b") << "it is another's";
}

TEST_F(LockRunTest, Whoever_waits_for_it_ends_at_a_signal_and_has_it_as_soon_as_it_is_free) {
    expect_success(words("acquire", "a", "10m"));
    BackgroundProcess stopped(run_words("1m", {"echo", "has run"}), path("stopped.log"));
    BackgroundProcess waiting(run_words("1m", {"echo", "has run"}), path("waiting.log"));
    stopped.send(SIGTERM);
    EXPECT_EQ(stopped.wait(30s), 128 + SIGTERM);
    EXPECT_EQ(stopped.log(), "");
    expect_success({"lock", "release", "books", "--owner", "a"});
    EXPECT_EQ(waiting.wait(30s), 0) << waiting.log();
    EXPECT_EQ(waiting.log(), "has run\n");
}

TEST_F(LockRunTest, A_signal_that_it_was_told_to_ignore_does_not_end_its_waiting) {
    expect_success(words("acquire", "a", "10m"));
    BackgroundProcess waiting(
        ignoring("HUP", run_words("1m", {"echo", "has run"})), path("waiting.log")
    );
    // It is seen to live on through several of its tries.
    for (int i = 0; i < 10; ++i) {
        EXPECT_EQ(held().size(), 1U);
        waiting.send(SIGHUP);
    }
    expect_success({"lock", "release", "books", "--owner", "a"});
    EXPECT_EQ(waiting.wait(30s), 0) << waiting.log();
    EXPECT_EQ(waiting.log(), "has run\n");
}

TEST_F(LockRunTest, When_it_is_killed_its_command_gets_SIGTERM_and_the_lock_ends_by_itself) {
    const auto run = started("1s");
    run->kill();
    EXPECT_TRUE(run->wait_for_log("got TERM"));
    EXPECT_TRUE(test::eventually([&] { return cli(words("acquire", "b", "1m")).exit_code == 0; }));
}

TEST_F(LockRunTest, A_command_that_is_none_frees_it) {
    const auto nothing = cli({"lock", "run", "books", "no-such-program"});
    EXPECT_EQ(nothing.exit_code, 127);
    EXPECT_THAT(nothing.err, HasSubstr("no-such-program cannot be run: No such file"));
    EXPECT_EQ(cli({"lock", "run", "books", path("config.toml")}).exit_code, 126);
    EXPECT_EQ(held(), nlohmann::json::array());
}

TEST_F(LockRunTest, The_command_has_the_token_and_no_descriptors_of_ours) {
    const std::string look =
        "printenv JOBSTRAND_LOCK_TOKEN\n"
        "cat\n"
        "for one in /proc/$$/fd/*; do echo ${one##*/}; done";
    std::string with_another = "exec 7< /dev/null; exec";
    for (const std::string& word : run_words("1m", {"sh", "-c", look})) {
        with_another += " '" + word + "'";
    }
    const auto run = run_program({"/bin/sh", "-c", with_another}, "input\n");
    const std::int64_t later = token_of(expect_success(words("acquire", "b", "1m")));
    EXPECT_THAT(run.out, MatchesRegex("[0-9]+\ninput\n0\n1\n2\n3\n")) << "3 is of the list";
    EXPECT_LT(std::stoll(run.out), later);
}

TEST_F(LockRunTest, A_time_in_which_no_command_could_begin_is_refused) {
    const auto short_run = cli({"lock", "run", "books", "--duration", "900ms", "--", "true"});
    EXPECT_EQ(short_run.exit_code, 2);
    EXPECT_THAT(short_run.err, HasSubstr("--duration must be at least 1s"));
}

/// A service with locks so long that their renewal would tell nothing for minutes.
class CancelTest : public ServiceTest {
protected:
    CancelTest() {
        std::ofstream(path("config.toml"))
            << "db = \"" << url() << "\"\nasyncExecutorAsyncJobLockTimeInMillis = 600000\n"
            << command_of("patient", "exit 0") << command_of("stubborn", ":");
    }

    /// A command that does this when it is told to stop.
    [[nodiscard]] std::string command_of(const std::string& name, const std::string& when_told)
        const {
        return a_command(
                   name,
                   "trap 'echo told >>" + path("ends") + "; " + when_told + "' TERM\n" +
                       echo("$$", "programs") + "while :; do sleep 0.05; done\n"
               ) +
               "timeLimit = \"PT10M\"\n";
    }
};

TEST_F(CancelTest, A_running_program_gets_SIGTERM_and_its_job_keeps_the_reason) {
    const std::string id = add_command("patient");
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return lines_of("programs").size() == 1; }, 30s));

    expect_success({"job", "cancel", id, "--by", "ada", "--reason", "wrong file"});
    const auto dead = store->jobs().list(JobPlace::dead_letter, {}, "", 10);
    ASSERT_EQ(dead.size(), 1U);
    EXPECT_EQ(dead[0].exception_message, "cancelled by ada: wrong file");

    ASSERT_TRUE(test::eventually([&] { return !lines_of("ends").empty(); }, 30s));
    EXPECT_THAT(lines_of("ends"), ElementsAre("told"));
    ASSERT_TRUE(service->wait_for_log("it is told to stop"));
    ASSERT_TRUE(service->wait_for_log("result discarded"));
    EXPECT_EQ(count(JobPlace::dead_letter), 1) << "it stays what it is";
    EXPECT_EQ(lines_of("programs").size(), 1U) << "it does not run again";
}

TEST_F(CancelTest, A_running_program_that_does_not_listen_gets_SIGKILL) {
    const std::string id = add_command("stubborn");
    const auto service = a_service();
    ASSERT_TRUE(test::eventually([&] { return lines_of("programs").size() == 1; }, 30s));
    const pid_t program = std::stoi(lines_of("programs").front());
    expect_success({"job", "cancel", id, "--reason", "wrong file"});
    ASSERT_TRUE(test::eventually([&] { return ::kill(program, 0) != 0; }, 30s));
    EXPECT_THAT(lines_of("ends"), ElementsAre("told"));
    ASSERT_TRUE(service->wait_for_log("result discarded"));
    EXPECT_EQ(count(JobPlace::dead_letter), 1);
}

/// `jobstrand --server` and `jobstrand serve` as two processes.
class RemoteProcessTest : public test::HttpServiceTest {
protected:
    RemoteProcessTest() {
        configure(fmt::format("httpTokenFile = \"{}\"\n", path("tokens")));
        std::ofstream(path("token")
        ) << expect_success({"token", "make", "ops", "--role", "admin", "--file", path("tokens")});
        std::filesystem::permissions(path("token"), std::filesystem::perms::owner_read);
        service_ = a_listening_service({"--no-executor"});
    }

    [[nodiscard]] std::vector<std::string> remote_command(const std::vector<std::string>& words
    ) const {
        std::vector<std::string> all{
            test::kJobstrandBinary,
            "--server",
            fmt::format("http://127.0.0.1:{}", port),
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

    /// `lock run` through the service, whose command has started.
    [[nodiscard]] std::unique_ptr<BackgroundProcess> started() const {
        const std::string script = a_script(
            "hold", "trap 'kill $p; exit 3' TERM; sleep 600 & p=$!; echo started; wait $p"
        );
        auto run = std::make_unique<BackgroundProcess>(
            remote_command({"lock", "run", "books", "--duration", "1s", script}), path("run.log")
        );
        EXPECT_TRUE(run->wait_for_log("started"));
        return run;
    }

    std::unique_ptr<BackgroundProcess> service_;
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
    const auto run = started();
    service_->kill();
    EXPECT_EQ(run->wait(30s), 125);
    EXPECT_THAT(
        run->log(), HasSubstr("books was lost while the command ran, which ended with 3: cannot")
    );
}

TEST_F(RemoteProcessTest, A_service_that_says_nothing_keeps_no_lock_run_from_its_end) {
    const auto run = started();
    service_->freeze();
    EXPECT_EQ(run->wait(30s), 125) << run->log();
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
