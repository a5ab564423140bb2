#pragma once

#include "test/fixtures/background_process.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/process/binaries.hpp"
#include "test/service/raw_client.hpp"

#include <gtest/gtest.h>

#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand::test {

/// The service and the CLI as real processes on one SQLite file in a temporary directory.
class ServiceTest : public testing::Test {
protected:
    ServiceTest() : store(created_database()) {}

    [[nodiscard]] std::string url() const { return "sqlite:" + path("jobs.db"); }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (directory.path() / name).string();
    }

    /// Writes the configuration of the service: short times, and what the test adds.
    void configure(const std::string& more) const {
        std::ofstream(path("config.toml"))
            << "db = \"" << url() << "\"\n"
            << "asyncExecutorAsyncJobLockTimeInMillis = " << lock_ms << "\n"
            << "asyncExecutorResetExpiredJobsInterval = 100\n"
            << more;
    }

    [[nodiscard]] std::vector<std::string> command(const std::vector<std::string>& words) const {
        std::vector<std::string> all{kJobstrandBinary};
        all.insert(all.end(), words.begin(), words.end());
        all.insert(all.end(), {"--config", path("config.toml")});
        return all;
    }

    [[nodiscard]] ProgramResult
    cli(const std::vector<std::string>& words, const std::string& input = {}) const {
        return run_program(command(words), input);
    }

    std::string expect_success(const std::vector<std::string>& words, const std::string& input = {})
        const {
        const ProgramResult result = cli(words, input);
        EXPECT_EQ(result.exit_code, 0) << words[0] << " " << words[1] << ": " << result.err;
        return result.out;
    }

    [[nodiscard]] std::unique_ptr<BackgroundProcess> a_service() const {
        return std::make_unique<BackgroundProcess>(command({"serve"}), path("service.log"));
    }

    /// As a service manager ends it.
    static void expect_stop(BackgroundProcess& service) {
        service.send(SIGTERM);
        EXPECT_EQ(service.wait(std::chrono::seconds(30)), 0) << service.log();
    }

    [[nodiscard]] std::int64_t
    count(schema::JobPlace place, const persistence::JobFilter& filter = {}) const {
        return store->jobs().count(place, filter);
    }

    [[nodiscard]] std::int64_t count_all() const { return store.count_all(); }

    /// Whether no job is left in time.
    [[nodiscard]] bool all_done(std::chrono::milliseconds limit = kPatience) const {
        return eventually([&] { return count_all() == 0; }, limit);
    }

    /// The first dead letter.
    [[nodiscard]] schema::Job a_dead_job() const {
        return store->jobs().list(schema::JobPlace::dead_letter, {}, "", 1).at(0);
    }

    [[nodiscard]] std::vector<std::string> lines_of(const std::string& name) const {
        std::ifstream file(path(name));
        std::vector<std::string> lines;
        for (std::string line; std::getline(file, line);) {
            lines.push_back(line);
        }
        return lines;
    }

    /// An executable script in the test's directory; returns its path.
    std::string a_script(const std::string& name, const std::string& body) const {
        std::ofstream(path(name)) << "#!/bin/sh\n" << body << "\n";
        std::filesystem::permissions(path(name), std::filesystem::perms::owner_all);
        return path(name);
    }

    /// The configuration of a command that runs a shell script.
    [[nodiscard]] std::string a_command(const std::string& name, const std::string& body) const {
        return "[commands." + name + "]\nprogram = \"" + a_script(name, body) + "\"\n";
    }

    /// In a script: adds a line to a file of the test's directory.
    [[nodiscard]] std::string echo(const std::string& text, const std::string& file) const {
        return "echo " + text + " >> \"" + path(file) + "\"\n";
    }

    /// In a script: waits until let_go().
    [[nodiscard]] std::string wait_to_go() const {
        return "while ! test -f \"" + path("go") + "\"; do sleep 0.02; done\n";
    }

    void let_go() const { std::ofstream(path("go")) << "now\n"; }

    [[nodiscard]] static std::string job_of(const std::string& command) {
        return R"({"handlerType":"command","payload":{"command":")" + command + R"("}})";
    }

    /// Adds the same job so many times.
    void add_jobs(std::size_t count, const std::string& job) const {
        std::string lines;
        for (std::size_t i = 0; i < count; ++i) {
            lines += job + "\n";
        }
        expect_success({"job", "add", "--from", "-"}, lines);
    }

    /// Adds a job that runs a command; returns its id.
    std::string add_command(const std::string& command, const std::vector<std::string>& more = {})
        const {
        const std::string payload = R"({"command":")" + command + R"("})";
        std::vector<std::string> words{"job", "add", "--type", "command", "--payload", payload};
        words.insert(words.end(), more.begin(), more.end());
        std::string id = expect_success(words);
        id.pop_back();
        return id;
    }

    /// Set before configure(): short where a lock has to expire. Elsewhere it is long enough to be
    /// renewed on a busy machine too, or a job that must run once runs twice.
    int lock_ms = 10'000;
    TemporaryDirectory directory;
    const OpenStore store;

private:
    [[nodiscard]] std::string created_database() const {
        configure("");
        expect_success({"schema", "create"});
        return url();
    }
};

/// The service as a process that answers HTTP.
class HttpServiceTest : public ServiceTest {
protected:
    /// A service that has said on which port it answers.
    [[nodiscard]] std::unique_ptr<BackgroundProcess> a_listening_service(
        const std::vector<std::string>& more = {},
        const std::string& address = "127.0.0.1:0"
    ) {
        std::filesystem::remove(path("service.log"));
        std::vector<std::string> words{"serve", "--http", address};
        words.insert(words.end(), more.begin(), more.end());
        auto service = std::make_unique<BackgroundProcess>(command(words), path("service.log"));
        EXPECT_TRUE(service->wait_for_log("clock_skew_ms="));
        const std::string log = service->log();
        port = static_cast<std::uint16_t>(std::atoi(log.c_str() + log.find(" port=") + 6));
        return service;
    }

    std::uint16_t port = 0;
};

}  // namespace jobstrand::test
