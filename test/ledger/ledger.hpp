#pragma once

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <istream>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <string_view>
#include <utility>
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

/// A ledger that a process writes. Each line is in the file as soon as it is written, whatever then
/// becomes of the process.
///
/// Thread safety: safe, also between processes.
class WrittenLedger final {
public:
    explicit WrittenLedger(const std::string& path)
        : descriptor_(::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600)) {
        if (descriptor_ < 0) {
            throw std::runtime_error(fmt::format("cannot open {}", path));
        }
    }
    ~WrittenLedger() { ::close(descriptor_); }

    WrittenLedger(const WrittenLedger&) = delete;
    WrittenLedger& operator=(const WrittenLedger&) = delete;

    /// A run that takes so long, or until it is to stop, from its begin to its end.
    void write_run(
        const Entry& entry,
        std::chrono::milliseconds time,
        std::stop_token stop,
        Mark end
    ) const {
        write(entry, Mark::begin);
        std::mutex mutex;
        std::unique_lock lock(mutex);
        std::condition_variable_any().wait_for(lock, std::move(stop), time, [] { return false; });
        write(entry, end);
    }

private:
    void write(Entry entry, Mark mark) const {
        entry.mark = mark;
        entry.at = now();
        const std::string line = line_of(entry);
        if (!std::cmp_equal(::write(descriptor_, line.data(), line.size()), line.size())) {
            throw std::runtime_error("cannot write the ledger");
        }
    }

    const int descriptor_;
};

}  // namespace jobstrand::test
