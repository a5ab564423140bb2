#include "bench/core/bench.hpp"
#include "bench/report.hpp"
#include "bench/scenarios/scenario.hpp"

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <functional>
#include <string>
#include <vector>

namespace bench = jobstrand::bench;

namespace {

constexpr int kDone = 0;
constexpr int kFailed = 1;
constexpr int kWrongUsage = 2;

int run(bench::Scenario& scenario, const bench::Options& options) {
    const bench::Result result = bench::run_scenario(scenario, options);
    fmt::print("{}", options.as_json ? bench::to_json(result) : bench::to_table(result));
    return result.passed() ? kDone : kFailed;
}

int guarded(const std::function<int()>& work) {
    // Defended catch: the top of the program, where every error becomes a message.
    try {
        return work();
    } catch (const std::exception& error) {
        fmt::print(stderr, "jobstrand-bench: {}\n", error.what());
        return kFailed;
    }
}

void add_report(CLI::App& program, bench::ReportOptions& options) {
    CLI::App* const command =
        program.add_subcommand("report", "Turn JSON results into a Markdown report");
    command->add_option("FILES", options.files, "Results that were written with -o json")
        ->required()
        ->check(CLI::ExistingFile);
    command->add_option("--charts", options.charts, "Draw SVG charts into this directory (gnuplot)")
        ->check(CLI::ExistingDirectory);
}

}  // namespace

int main(int argc, char** argv) {
    CLI::App program(
        "Measures Jobstrand on any database. Correctness first: a run in which a job is lost, left "
        "or run twice fails.",
        "jobstrand-bench"
    );
    program.require_subcommand(1);
    bench::Options options;
    // CLI11 must not read this: it would set the environment's value for each scenario that was not
    // typed, after it has read --db of the one that was, and all scenarios share these options.
    if (const char* const url = std::getenv("JOBSTRAND_DB")) {
        options.database_url = url;
    }
    bench::ReportOptions report;
    const std::vector<bench::ScenarioPtr> scenarios = bench::all_scenarios();
    for (const bench::ScenarioPtr& scenario : scenarios) {
        CLI::App& command = *program.add_subcommand(scenario->name(), scenario->description());
        bench::add_options(command, options);
        scenario->add_options(command);
    }
    add_report(program, report);
    try {
        program.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return program.exit(error) == 0 ? kDone : kWrongUsage;
    }
    for (const bench::ScenarioPtr& scenario : scenarios) {
        if (program.got_subcommand(scenario->name())) {
            return guarded([&] { return run(*scenario, options); });
        }
    }
    return guarded([&] {
        fmt::print("{}", bench::markdown_report(report));
        return kDone;
    });
}
