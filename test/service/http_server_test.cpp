#include "test/fixtures/background_process.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/service/raw_client.hpp"
#include "tools/access/token_file.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;

/// The real service on a database server.
class HttpOnServer : public testing::TestWithParam<std::string_view> {
protected:
    void SetUp() override {
        const bool is_mysql = GetParam() == "mysql";
        const auto missing =
            is_mysql ? MariaDbServer::what_is_missing() : PostgresqlServer::what_is_missing();
        if (missing) {
            GTEST_SKIP() << *missing;
        }
        DatabaseServer& server = is_mysql ? static_cast<DatabaseServer&>(shared_mariadb_server())
                                          : shared_postgresql_server();
        database_.emplace(server.url());
    }

    [[nodiscard]] std::unique_ptr<BackgroundProcess> a_service(std::vector<std::string> more) {
        const std::string log = (directory_.path() / "log").string();
        std::filesystem::remove(log);
        std::vector<std::string> words{
            JOBSTRAND_PROGRAM,
            "serve",
            "--http",
            "127.0.0.1:0",
            "--db",
            url_text(database_->url())};
        words.insert(words.end(), more.begin(), more.end());
        auto service = std::make_unique<BackgroundProcess>(words, log);
        EXPECT_TRUE(service->wait_for_log("clock_skew_ms="));
        const std::string said = service->log();
        port_ = static_cast<std::uint16_t>(std::atoi(said.c_str() + said.find(" port=") + 6));
        return service;
    }

    /// Adds jobs from several clients until the service is gone; the ids that were answered.
    [[nodiscard]] std::set<std::string> add_until_killed(BackgroundProcess& service) {
        std::mutex mutex;
        std::set<std::string> answered;
        std::vector<std::thread> clients;
        for (int i = 0; i < 8; ++i) {
            clients.emplace_back([&] {
                RawClient client(port_);
                const std::string job = post("/api/v1/jobs", R"({"handlerType":"noop"})");
                for (auto response = client.ask(job); response.status == 201;
                     response = client.ask(job)) {
                    const std::lock_guard lock(mutex);
                    answered.insert(response.body.substr(7, response.body.find('"', 7) - 7));
                }
            });
        }
        EXPECT_TRUE(eventually([&] {
            const std::lock_guard lock(mutex);
            return answered.size() >= 200;
        }));
        service.kill();
        for (std::thread& client : clients) {
            client.join();
        }
        return answered;
    }

    std::optional<ServerDatabase> database_;
    const TemporaryDirectory directory_;
    std::uint16_t port_ = 0;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    HttpOnServer,
    testing::Values("mysql", "postgresql"),
    [](const auto& one) { return std::string(one.param); }
);

// I2: after the 2xx answer the job is never lost.
TEST_P(HttpOnServer, Every_job_with_an_answer_is_there_after_a_kill_and_runs) {
    const auto service = a_service({"--no-executor"});
    const std::set<std::string> answered = add_until_killed(*service);
    const OpenStore store(url_text(database_->url()));
    for (const std::string& id : answered) {
        EXPECT_TRUE(store->jobs().find(id)) << id;
    }
    const auto again = a_service({});
    EXPECT_TRUE(eventually([&] { return store.count_all() == 0; }));
}

/// `jobstrand token` in processes of their own.
class TokenTurns : public testing::Test {
protected:
    struct Running {
        std::string name;
        std::unique_ptr<BackgroundProcess> process;
    };

    [[nodiscard]] std::string path() const { return (directory_.path() / "tokens").string(); }

    [[nodiscard]] Running start(const std::string& verb, const std::string& name) {
        std::vector<std::string> words{JOBSTRAND_PROGRAM, "token", verb, name, "--file", path()};
        if (verb == "make") {
            words.insert(words.end(), {"--role", "read"});
        }
        const auto log = directory_.path() / fmt::format("{}-{}", verb, name);
        return {.name = name, .process = std::make_unique<BackgroundProcess>(words, log)};
    }

    /// They end well. Of those that were made, the hashes of what was printed.
    [[nodiscard]] std::vector<std::string> printed_by(std::vector<Running>& all) const {
        std::vector<std::string> hashes;
        for (const Running& one : all) {
            EXPECT_EQ(one.process->wait(60s), 0) << one.process->log();
            const std::string said = one.process->log();
            const std::string token = said.substr(0, said.find('\n'));
            hashes.push_back(one.name + ' ' + service::hex_of(service::hash_of(token)));
        }
        return hashes;
    }

    [[nodiscard]] std::vector<std::string> in_file() const {
        std::vector<std::string> hashes;
        for (const service::TokenEntry& token : service::read_tokens(path())) {
            hashes.push_back(token.name + ' ' + service::hex_of(token.hash));
        }
        return hashes;
    }

private:
    const TemporaryDirectory directory_;
};

TEST_F(TokenTurns, Of_commands_at_the_same_time_none_is_lost_and_none_undone) {
    constexpr int rounds = 40;
    std::vector<std::string> expected;
    for (int round = 0; round < rounds; ++round) {
        std::vector<Running> made;
        std::vector<Running> revoked;
        made.push_back(start("make", fmt::format("gone{}", round)));
        made.push_back(start("make", fmt::format("kept{}", round)));
        if (round > 0) {
            revoked.push_back(start("revoke", fmt::format("gone{}", round - 1)));
        }
        const std::vector<std::string> printed = printed_by(made);
        expected.push_back(printed.back());
        if (round + 1 == rounds) {
            expected.push_back(printed.front());
        }
        static_cast<void>(printed_by(revoked));
    }
    EXPECT_THAT(in_file(), testing::UnorderedElementsAreArray(expected));
}

}  // namespace

}  // namespace jobstrand::test
