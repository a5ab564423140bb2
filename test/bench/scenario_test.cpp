#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "persistence/migration/table_changes.hpp"
#include "schema/clock.hpp"
#include "schema/log.hpp"
#include "test/fixtures/background_process.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "tools/engine/wiring.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace jobstrand::bench {
namespace {

using nlohmann::json;
using test::ProgramResult;
using testing::HasSubstr;

/// A scenario with numbers so small that only its plumbing is tried.
struct TinyRun {
    std::string scenario;
    std::vector<std::string> options;
    std::size_t figures;
    std::size_t latencies;
    std::size_t series;
};

void PrintTo(const TinyRun& run, std::ostream* out) {
    *out << run.scenario;
}

class Program : public testing::Test {
protected:
    [[nodiscard]] static ProgramResult bench(std::vector<std::string> words) {
        words.insert(words.begin(), JOBSTRAND_BENCH_BINARY);
        return test::run_program(words);
    }

    [[nodiscard]] std::string url() const {
        return "sqlite:" + (directory_.path() / "bench.db").string() + "?synchronous=off";
    }

    [[nodiscard]] std::string path(const std::string& name) const {
        return (directory_.path() / name).string();
    }

private:
    test::TemporaryDirectory directory_;
};

class EachScenario : public Program, public testing::WithParamInterface<TinyRun> {};

void expect_keys(const json& object, const std::vector<std::string>& keys) {
    EXPECT_EQ(object.size(), keys.size()) << object;
    for (const std::string& key : keys) {
        EXPECT_TRUE(object.contains(key)) << key << " is missing in " << object;
    }
}

// The fields that bench/README.md documents.
void expect_documented_fields(const json& result) {
    expect_keys(
        result,
        {"format",
         "scenario",
         "startedAt",
         "passed",
         "environment",
         "settings",
         "figures",
         "latencies",
         "series",
         "checks"}
    );
    for (const json& figure : result.at("figures")) {
        expect_keys(figure, {"name", "unit", "values", "median", "min", "max", "ceiling", "ratio"});
        EXPECT_GE(figure.at("median").get<double>(), 0);
    }
    for (const json& latency : result.at("latencies")) {
        expect_keys(latency, {"name", "unit", "count", "p50", "p99", "p999", "max"});
    }
    for (const json& series : result.at("series")) {
        expect_keys(series, {"name", "xUnit", "yUnit", "points"});
    }
    for (const json& check : result.at("checks")) {
        expect_keys(check, {"name", "passed", "problem"});
    }
    for (const char* fact :
         {"program",
          "compiler",
          "cpu",
          "cpus",
          "memory",
          "system",
          "database",
          "durability",
          "url"}) {
        EXPECT_TRUE(result.at("environment").contains(fact)) << fact;
    }
    for (const char* setting : {"jobs", "workers", "queue", "page", "nodes", "warmUp", "repeat"}) {
        EXPECT_TRUE(result.at("settings").contains(setting)) << setting;
    }
}

TEST_P(EachScenario, It_passes_and_prints_the_documented_json) {
    const TinyRun& run = GetParam();
    std::vector<std::string> words{
        run.scenario, "--db", url(), "--jobs", "300", "--warm-up", "20", "--repeat", "2"};
    words.insert(words.end(), {"-o", "json"});
    words.insert(words.end(), run.options.begin(), run.options.end());
    const ProgramResult result = bench(words);

    ASSERT_EQ(result.exit_code, 0) << result.err << result.out;
    const json document = json::parse(result.out);
    expect_documented_fields(document);
    EXPECT_EQ(document.at("scenario"), run.scenario);
    EXPECT_TRUE(document.at("passed").get<bool>());
    EXPECT_EQ(document.at("figures").size(), run.figures);
    EXPECT_EQ(document.at("latencies").size(), run.latencies);
    EXPECT_EQ(document.at("series").size(), run.series);
    EXPECT_FALSE(document.at("checks").empty());
}

INSTANTIATE_TEST_SUITE_P(
    Tiny,
    EachScenario,
    testing::Values(
        TinyRun{"ceiling", {"--pages", "50,100"}, 12, 0, 0},
        TinyRun{
            "drain",
            {"--failing",
             "10%",
             "--job-time",
             "1ms",
             "--nodes",
             "2",
             "--instances",
             "10",
             "--priorities",
             "3"},
            4,
            0,
            0},
        TinyRun{"flow", {"--batch", "10"}, 2, 1, 0},
        TinyRun{"latency", {"--rate", "100", "--time", "100ms"}, 0, 4, 0},
        TinyRun{"latency", {"--load", "20", "--time", "50ms"}, 2, 4, 0},
        TinyRun{"timers", {"--rate", "100", "--time", "100ms"}, 2, 1, 0},
        TinyRun{
            "scale",
            {"--others", "50", "--backlogs", "40,80", "--payloads", "100,10000"},
            4,
            0,
            2},
        TinyRun{"idle", {"--time", "100ms", "--settle", "10ms"}, 3, 0, 0},
        TinyRun{"requeue", {}, 1, 0, 0},
        TinyRun{"limits", {"--work", "10ms", "--time", "50ms", "--rate", "100"}, 1, 2, 0},
        TinyRun{"soak", {"--minutes", "0.01", "--rate", "200", "--sample", "200ms"}, 0, 1, 5},
        TinyRun{
            "busy",
            {"--minutes", "0.02", "--requeued", "50", "--open", "100ms", "--sample", "200ms"},
            0,
            1,
            2}
    ),
    [](const auto& instance) { return instance.param.scenario + std::to_string(instance.index); }
);

TEST_F(Program, Figures_are_held_against_the_ceiling_unless_it_is_switched_off) {
    const std::vector<std::string> words{"drain", "--jobs", "50", "-o", "json", "--db", url()};
    const auto ratio = [&](const std::vector<std::string>& more) {
        std::vector<std::string> all = words;
        all.insert(all.end(), more.begin(), more.end());
        return json::parse(bench(all).out).at("figures").at(0).at("ratio");
    };

    EXPECT_GT(ratio({}).get<double>(), 0);
    EXPECT_TRUE(ratio({"--no-ceiling"}).is_null());
}

TEST_F(Program, A_database_that_holds_jobs_is_refused_until_it_may_be_wiped) {
    const schema::SystemClock clock;
    schema::SilentLog log;
    engine::Wiring engine({.database_url = url()}, clock, log);
    const std::string id = engine.enqueue({.handler_type = "of an app"});

    const ProgramResult refused = bench({"drain", "--jobs", "10", "--db", url()});
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr("holds jobs"));
    EXPECT_TRUE(engine.store().find(id));

    EXPECT_EQ(bench({"drain", "--jobs", "10", "--db", url(), "--wipe"}).exit_code, 0);
    EXPECT_FALSE(engine.store().find(id));
}

// With --wipe its jobs would be deleted.
TEST_F(Program, The_database_of_the_environment_is_left_alone_when_another_one_is_named) {
    const std::string of_environment = path("of_environment.db");
    std::vector<std::string> drain{
        "/usr/bin/env",
        "JOBSTRAND_DB=sqlite:" + of_environment,
        JOBSTRAND_BENCH_BINARY,
        "drain",
        "--jobs",
        "20",
        "--warm-up",
        "0",
        "--repeat",
        "1"};
    std::vector<std::string> on_another = drain;
    on_another.insert(on_another.end(), {"--db", url()});

    EXPECT_EQ(test::run_program(on_another).exit_code, 0);
    EXPECT_FALSE(std::filesystem::exists(of_environment));
    EXPECT_EQ(test::run_program(drain).exit_code, 0);
    EXPECT_TRUE(std::filesystem::exists(of_environment));
}

TEST_F(Program, A_run_that_takes_longer_than_its_limit_fails) {
    const ProgramResult result = bench(
        {"drain",
         "--jobs",
         "2",
         "--warm-up",
         "0",
         "--job-time",
         "100ms",
         "--time-limit",
         "1ms",
         "--db",
         url()}
    );

    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.out, HasSubstr("FAILED: the jobs ended within the time limit"));
}

TEST_F(Program, Bad_options_are_wrong_usage) {
    const std::vector<std::vector<std::string>> wrong{
        {},
        {"fly"},
        {"drain", "--jobs", "0"},
        {"drain", "--page", "1001"},
        {"drain", "--failing", "101%"},
        {"drain", "--job-time", "-1ms"},
        {"flow", "--rate", "fast"},
        {"latency", "--load", "0"},
        {"report"},
        {"report", "no-such-file.json"},
    };
    for (const auto& words : wrong) {
        EXPECT_EQ(bench(words).exit_code, 2) << json(words);
    }
}

TEST_F(Program, A_report_is_made_of_results) {
    const std::string file = path("drain.json");
    std::ofstream(file
    ) << bench({"drain", "--jobs", "50", "--db", url(), "--no-ceiling", "-o", "json"}).out;
    const ProgramResult report = bench({"report", file});

    EXPECT_EQ(report.exit_code, 0) << report.err;
    EXPECT_THAT(report.out, HasSubstr("| drain | SQLite"));
}

// A user's database is left as it was, whatever the run needs.
TEST_F(Program, The_index_of_a_database_is_there_after_a_run_if_it_was_before) {
    const auto has_index = [this] {
        const auto pool =
            persistence::open_database(persistence::parse_database_url(url()).value());
        return persistence::has_index(
            *pool->lease(persistence::SessionPool::Access::read), schema::kPriorityIndex
        );
    };
    const std::vector<std::string> drain{
        "drain", "--db", url(), "--jobs", "20", "--warm-up", "0", "--repeat", "1"};
    std::vector<std::string> by_priority = drain;
    by_priority.push_back("--by-priority");
    for (const auto& run : {drain, by_priority}) {
        ASSERT_EQ(bench(run).exit_code, 0);
        EXPECT_FALSE(has_index());
    }
    {
        const auto pool =
            persistence::open_database(persistence::parse_database_url(url()).value());
        persistence::create_index(
            *pool->lease(persistence::SessionPool::Access::write), schema::kPriorityIndex
        );
    }
    for (const auto& run : {drain, by_priority}) {
        ASSERT_EQ(bench(run).exit_code, 0);
        EXPECT_TRUE(has_index());
    }
}

}  // namespace
}  // namespace jobstrand::bench
