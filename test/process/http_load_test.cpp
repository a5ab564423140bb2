#include "test/process/http_service_fixture.hpp"

#include <csignal>
#include <mutex>
#include <set>
#include <string>
#include <thread>
#include <vector>

namespace jobstrand {
namespace {

using namespace std::chrono_literals;
using test::HttpServiceTest;
using test::post;
using test::RawClient;

/// The id in `{"id":"..."}`.
[[nodiscard]] std::string id_in(const std::string& body) {
    return body.substr(7, body.find('"', 7) - 7);
}

/// I2: after the 2xx answer a job is never lost, whatever becomes of the service while many
/// clients enqueue.
class HttpLoadTest : public HttpServiceTest {
protected:
    HttpLoadTest() {
        const std::string script =
            a_script("append", "echo \"$JOBSTRAND_JOB_ID\" >> \"" + path("ran") + "\"");
        configure(
            "lockOwner = \"one\"\nnodeLease = 2000\nmaxLostStarts = "
            "1000\n[commands.append]\nprogram = \"" +
            script + "\"\n"
        );
    }

    /// Runs `disturb` when some fifty more jobs were answered, with clients that go on until they
    /// are not answered any more.
    template <typename Disturb>
    void under_load(const Disturb& disturb) {
        const std::size_t before = answered_.size();
        std::vector<std::thread> clients;
        for (int i = 0; i < 8; ++i) {
            clients.emplace_back([this] { enqueue_while_answered(); });
        }
        wait_for_answers(before + 50);
        disturb();
        for (std::thread& client : clients) {
            client.join();
        }
    }

    void wait_for_answers(std::size_t count) {
        EXPECT_TRUE(test::eventually([&] {
            const std::lock_guard lock(mutex_);
            return answered_.size() >= count;
        }));
    }

    [[nodiscard]] std::size_t answers() {
        const std::lock_guard lock(mutex_);
        return answered_.size();
    }

    void expect_all_ran() {
        ASSERT_TRUE(test::eventually([&] { return count_all() == 0; }, 60s));
        const auto lines = lines_of("ran");
        const std::set<std::string> ran(lines.begin(), lines.end());
        for (const std::string& id : answered_) {
            EXPECT_TRUE(ran.contains(id)) << id;
        }
    }

private:
    void enqueue_while_answered() {
        const std::string job =
            post("/api/v1/jobs", R"({"handlerType":"command","payload":{"command":"append"}})");
        RawClient client(port);
        for (auto response = client.ask(job); response.status == 201; response = client.ask(job)) {
            const std::lock_guard lock(mutex_);
            answered_.insert(id_in(response.body));
        }
    }

    std::mutex mutex_;
    std::set<std::string> answered_;  ///< Guarded by mutex_ while clients run.
};

TEST_F(HttpLoadTest, Every_job_with_an_answer_runs_although_the_service_is_killed) {
    for (int kills = 0; kills < 2; ++kills) {
        const auto service = a_listening_service();
        under_load([&] { service->kill(); });
    }
    const auto service = a_listening_service();
    expect_all_ran();
}

TEST_F(HttpLoadTest, Every_job_with_an_answer_runs_although_the_service_is_told_to_stop) {
    {
        const auto service = a_listening_service();
        under_load([&] {
            service->send(SIGTERM);
            EXPECT_EQ(service->wait(test::kPatience), 0);
        });
    }
    const auto service = a_listening_service();
    expect_all_ran();
}

TEST_F(HttpLoadTest, Every_job_with_an_answer_runs_while_the_service_is_reloaded_and_drained) {
    const auto service = a_listening_service();
    under_load([&] {
        service->send(SIGHUP);
        EXPECT_TRUE(service->wait_for_log("the configuration file was read again"));
        wait_for_answers(answers() + 50);
        expect_success({"node", "drain", "one"});
        EXPECT_TRUE(service->wait_for_log("this node is drained"));
        wait_for_answers(answers() + 50);
        expect_success({"node", "resume", "one"});
        wait_for_answers(answers() + 50);
        service->send(SIGTERM);
        EXPECT_EQ(service->wait(test::kPatience), 0);
    });
    const auto again = a_listening_service();
    expect_all_ran();
}

}  // namespace
}  // namespace jobstrand
