#include "bench/core/bench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <utility>

namespace jobstrand::bench {

void Bench::say(std::string_view line) const {
    fmt::print(stderr, "{}: {}\n", result.scenario, line);
}

void Bench::set(std::string name, std::string value) const {
    result.settings.emplace_back(std::move(name), std::move(value));
}

void Bench::add_figure(Figure figure, double Ceiling::*yardstick) const {
    if (ceiling) {
        figure.ceiling = *ceiling.*yardstick;
    }
    result.figures.push_back(std::move(figure));
}

void Bench::add_figure(Figure figure, double (Ceiling::*yardstick)() const) const {
    if (ceiling) {
        figure.ceiling = (*ceiling.*yardstick)();
    }
    result.figures.push_back(std::move(figure));
}

void Bench::wait_for_end(
    RunLedger& ledger,
    std::size_t jobs,
    std::span<const schema::JobPlace> places
) const {
    const bool is_over = ledger.wait_for(jobs, options.time_limit) &&
                         database.wait_until_empty(options.time_limit, places);
    check(
        "the jobs ended within the time limit",
        is_over ? "" : fmt::format("{} of {} jobs succeeded in time", ledger.count(), jobs)
    );
}

void Bench::check_end(const RunLedger& ledger, std::size_t jobs) const {
    check("every job succeeded exactly once", ledger.mistakes(jobs));
    check("the tables are empty at the end", database.is_empty() ? "" : "jobs are left");
}

void Bench::check(std::string_view name, const std::string& problem) const {
    const auto known = std::ranges::find(result.checks, name, &Check::name);
    if (known == result.checks.end()) {
        result.checks.push_back({.name = std::string(name), .problem = problem});
    } else if (known->problem.empty()) {
        known->problem = problem;
    }
}

}  // namespace jobstrand::bench
