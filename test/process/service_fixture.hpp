#pragma once

#include "test/fixtures/background_process.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/process/binaries.hpp"
#include "test/service/raw_client.hpp"

#include <gtest/gtest.h>

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
        auto service = std::make_unique<BackgroundProcess>(command({"serve"}), path("service.log"));
        return service;
    }

    [[nodiscard]] std::int64_t
    count(schema::JobPlace place, const persistence::JobFilter& filter = {}) const {
        return store->jobs().count(place, filter);
    }

    [[nodiscard]] std::int64_t count_all() const { return store.count_all(); }

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
