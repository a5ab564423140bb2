#include "test/ledger/ledger.hpp"

#include <fmt/format.h>

#include <map>
#include <sstream>
#include <utility>

namespace jobstrand::test {

namespace {

/// In the place of an instance that there is not.
constexpr std::string_view kNone = "-";

std::optional<Entry> entry_in(const std::string& line) {
    std::istringstream words(line);
    char mark = 0;
    std::int64_t microseconds = 0;
    Entry entry;
    std::string stop;
    words >> mark >> microseconds >> entry.job >> entry.token >> entry.attempt >> entry.instance >>
        stop;
    if (stop != ".") {
        return std::nullopt;
    }
    entry.mark = Mark{mark};
    entry.at = Instant(std::chrono::microseconds(microseconds));
    if (entry.instance == kNone) {
        entry.instance.clear();
    }
    return entry;
}

}  // namespace

Instant now() {
    return std::chrono::floor<std::chrono::microseconds>(std::chrono::system_clock::now());
}

std::string line_of(const Entry& entry) {
    return fmt::format(
        "{} {} {} {} {} {} .\n",
        static_cast<char>(entry.mark),
        entry.at.time_since_epoch().count(),
        entry.job,
        entry.token,
        entry.attempt,
        entry.instance.empty() ? kNone : entry.instance
    );
}

std::vector<Entry> read_entries(std::istream& lines) {
    std::vector<Entry> entries;
    for (std::string line; std::getline(lines, line);) {
        if (auto entry = entry_in(line)) {
            entries.push_back(std::move(*entry));
        }
    }
    return entries;
}

void Ledger::add_runs(std::size_t node, const std::vector<Entry>& entries) {
    std::map<std::pair<std::string_view, std::int64_t>, std::size_t> open;
    for (const Entry& entry : entries) {
        if (entry.mark == Mark::begin) {
            open[{entry.job, entry.token}] = runs.size();
            runs.push_back(
                {.job = entry.job,
                 .token = entry.token,
                 .attempt = entry.attempt,
                 .instance = entry.instance,
                 .node = node,
                 .began = entry.at}
            );
        } else if (const auto run = open.find({entry.job, entry.token}); run != open.end()) {
            runs[run->second].ended = entry.at;
            runs[run->second].failed = entry.mark == Mark::failed;
        }
    }
}

void Ledger::add_end_of_lease(std::int64_t process, Instant at) {
    for (NodeOutcome& outcome : nodes) {
        if (outcome.process == process) {
            outcome.declared_dead.push_back(at);
        }
    }
}

}  // namespace jobstrand::test
