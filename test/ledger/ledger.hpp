#pragma once

#include <chrono>
#include <cstdint>
#include <istream>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

/// Of this machine, which all processes share.
using Instant = std::chrono::sys_time<std::chrono::microseconds>;

[[nodiscard]] Instant now();

/// What a handler writes down: that a run begins, and how it ended.
enum class Mark : char { begin = 'B', done = 'D', failed = 'F' };

/// A line of a ledger.
struct Entry {
    Mark mark = Mark::begin;
    Instant at = {};
    std::string job = {};
    std::int64_t token = 0;     ///< The fencing token of the run.
    int attempt = 1;            ///< As the handler was told.
    std::string instance = {};  ///< Of an exclusive job.

    bool operator==(const Entry&) const = default;
};

/// With its line end.
[[nodiscard]] std::string line_of(const Entry& entry);

/// The entries of one process. What was cut off in the middle by its end is left out.
[[nodiscard]] std::vector<Entry> read_entries(std::istream& lines);

/// One run of a job.
struct Run {
    std::string job = {};
    std::int64_t token = 0;
    int attempt = 1;
    std::string instance = {};
    std::size_t node = 0;  ///< See Ledger::nodes.
    Instant began = {};
    std::optional<Instant> ended = {};
    bool failed = false;
};

struct Stretch {
    Instant from = {};
    Instant until = {};
};

/// What was done to a node, which is one process: a restarted one is another.
struct NodeOutcome {
    std::int64_t process = 0;
    std::optional<Instant> died = {};
    std::vector<Stretch> frozen = {};
    /// When another node found that it had not renewed its lease, which it does too late when the
    /// machine is busy.
    std::vector<Instant> declared_dead = {};
};

/// What the database says of a job that has left the executable ones: the end of a run that it
/// took. A job that was given back to wait among the timers has left as well, without a run.
struct AcceptedEnd {
    std::string job = {};
    std::int64_t token = 0;
    Instant at = {};
};

/// What a transactional handler has written into the database.
struct Effect {
    std::string job = {};
    std::int64_t token = 0;
};

/// How many of the jobs that meet a limit may run at the same time, on all nodes together.
inline constexpr std::size_t kMostLimited = 5;

/// Everything that is known of what happened.
struct Ledger {
    std::vector<std::string> jobs = {};           ///< That were acknowledged.
    std::vector<std::string> transactional = {};  ///< Those of them that have an effect.
    std::vector<std::string> limited = {};        ///< Those of which kMostLimited run at a time.
    std::vector<NodeOutcome> nodes = {};
    std::vector<Run> runs = {};
    std::vector<AcceptedEnd> ends = {};
    std::vector<Effect> effects = {};
    std::vector<Stretch> outages = {};  ///< The server was away, or its connections were cut.

    /// Adds the runs that a node has written down.
    void add_runs(std::size_t node, const std::vector<Entry>& entries);
    /// The lease of this process was ended.
    void add_end_of_lease(std::int64_t process, Instant at);
};

}  // namespace jobstrand::test
