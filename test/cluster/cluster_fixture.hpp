#pragma once

#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/store/sql_store.hpp"
#include "test/fixtures/background_process.hpp"
#include "test/fixtures/open_store.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "timers/series/series_planner.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <memory>
#include <regex>
#include <string>
#include <vector>

namespace jobstrand::test {

/// A database from the view of a test: fills it with jobs and looks at what is left.
class JobDatabase final {
public:
    explicit JobDatabase(const std::string& url)
        : pool_(persistence::open_database(persistence::parse_database_url(url).value(), {})),
          store_(*pool_, silent_, schedule_) {
        persistence::upgrade_schema(*pool_->lease(persistence::SessionPool::Access::write));
    }

    /// A job that ends each process that runs it.
    void add_aborting(const std::string& id) {
        schema::Job job{.id = id};
        job.handler_type = "abort";
        store_.enqueuer().insert(
            {{.place = schema::JobPlace::executable, .job = std::move(job)}},
            persistence::IdOrigin::given
        );
    }

    [[nodiscard]] std::int64_t count(schema::JobPlace place) {
        return store_.jobs().count(place, {});
    }

    void add_jobs(std::size_t count) {
        constexpr std::size_t page = 1000;
        for (std::size_t added = 0; added < count; added += page) {
            std::vector<schema::PlacedJob> jobs;
            for (std::size_t i = added; i < std::min(added + page, count); ++i) {
                schema::Job job{.id = fmt::format("job-{:09}", i)};
                job.handler_type = "append";
                jobs.push_back({.place = schema::JobPlace::executable, .job = std::move(job)});
            }
            store_.enqueuer().insert(std::move(jobs), persistence::IdOrigin::given);
        }
    }

    /// Exclusive ones, in turn of each instance.
    void add_exclusive(std::size_t count, std::size_t instances) {
        std::vector<schema::PlacedJob> jobs;
        for (std::size_t i = 0; i < count; ++i) {
            schema::Job job{.id = fmt::format("job-{:09}", i)};
            job.handler_type = "alone";
            job.process_instance_id = fmt::format("i{}", i % instances);
            jobs.push_back({.place = schema::JobPlace::executable, .job = std::move(job)});
        }
        store_.enqueuer().insert(std::move(jobs), persistence::IdOrigin::given);
    }

    /// Also while the server dies and comes back.
    [[nodiscard]] std::int64_t count_all() {
        std::int64_t jobs = 0;
        store_.enqueuer().in_transaction(
            [&](persistence::Transaction& transaction) { jobs = count_all_jobs(transaction); },
            [](persistence::Transaction&) { return true; }
        );
        return jobs;
    }

private:
    schema::SilentLog silent_;
    std::unique_ptr<persistence::SessionPool> pool_;
    const timers::SeriesPlanner schedule_;
    persistence::SqlStore store_;
};

/// Nodes as processes, and what they have run.
class Cluster final {
public:
    /// A node whose jobs take so long each.
    void start_node(const std::string& url, std::chrono::milliseconds work = {}) {
        const std::string name = std::to_string(nodes_.size());
        nodes_.push_back(std::make_unique<BackgroundProcess>(
            std::vector<std::string>{
                CLUSTER_NODE, url, file("runs-" + name), std::to_string(work.count())},
            directory_.path() / ("log-" + name)
        ));
    }

    /// Lets the test itself start and stop what it has started.
    [[nodiscard]] BackgroundProcess& last_node() { return *nodes_.back(); }

    [[nodiscard]] const std::vector<std::unique_ptr<BackgroundProcess>>& nodes() const {
        return nodes_;
    }

    /// They have not ended by themselves, and drain when they are asked to.
    void expect_alive_and_stop() const {
        for (const auto& node : nodes_) {
            EXPECT_EQ(node->wait(std::chrono::milliseconds(0)), std::nullopt) << node->log();
            node->send(SIGTERM);
            EXPECT_EQ(node->wait(kPatience), 0) << node->log();
        }
    }

    /// How often each job has run on one node. Expects that no run used up a retry.
    [[nodiscard]] std::map<std::string, int> runs_of(std::size_t node) const {
        std::map<std::string, int> times;
        std::ifstream lines(file("runs-" + std::to_string(node)));
        int attempt = 0;
        int retries = 0;
        for (std::string id; lines >> id >> attempt >> retries;) {
            ++times[id];
            EXPECT_EQ(attempt, 1) << id;
            EXPECT_EQ(retries, 3) << id;
        }
        return times;
    }

    /// The same on all nodes together.
    [[nodiscard]] std::map<std::string, int> runs() const {
        std::map<std::string, int> all;
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            for (const auto& [id, times] : runs_of(node)) {
                all[id] += times;
            }
        }
        return all;
    }

    /// Runs beyond the first of each job.
    [[nodiscard]] std::size_t repeats() const {
        std::size_t beyond = 0;
        for (const auto& [id, times] : runs()) {
            beyond += static_cast<std::size_t>(times - 1);
        }
        return beyond;
    }

    /// How many expired locks the nodes have freed: only then does a job that has run run again.
    [[nodiscard]] std::size_t locks_freed() const {
        static const std::regex line(
            "(?:expired locks freed|has not renewed its lease; its jobs are free node=\\S+) "
            "jobs=([0-9]+)"
        );
        std::size_t freed = 0;
        for (const auto& node : nodes_) {
            const std::string log = node->log();
            for (std::sregex_iterator at(log.begin(), log.end(), line), end; at != end; ++at) {
                freed += std::stoul((*at)[1]);
            }
        }
        return freed;
    }

    /// About how many runs there were.
    [[nodiscard]] std::size_t count_runs() const {
        constexpr std::size_t line = sizeof("job-123456789 1 3\n") - 1;
        std::size_t bytes = 0;
        for (std::size_t node = 0; node < nodes_.size(); ++node) {
            std::error_code none;
            const auto size =
                std::filesystem::file_size(file("runs-" + std::to_string(node)), none);
            bytes += none ? 0 : size;
        }
        return bytes / line;
    }

private:
    [[nodiscard]] std::string file(const std::string& name) const {
        return (directory_.path() / name).string();
    }

    TemporaryDirectory directory_;
    std::vector<std::unique_ptr<BackgroundProcess>> nodes_;  ///< Killed before their files go.
};

/// How often a text is in a log.
[[nodiscard]] inline int count_in(const std::string& log, std::string_view text) {
    int count = 0;
    for (std::size_t at = log.find(text); at != std::string::npos; at = log.find(text, at + 1)) {
        ++count;
    }
    return count;
}

/// The jobs of a drain: enough to collide, few enough for every run of all tests. The environment's
/// JOBSTRAND_CLUSTER_JOBS says another number.
[[nodiscard]] inline std::size_t jobs_to_drain(std::size_t usual) {
    const char* const given = std::getenv("JOBSTRAND_CLUSTER_JOBS");
    return given == nullptr ? usual : std::stoul(given);
}

}  // namespace jobstrand::test
