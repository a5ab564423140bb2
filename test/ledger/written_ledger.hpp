#pragma once

#include "test/ledger/ledger.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <stdexcept>
#include <stop_token>
#include <string>
#include <utility>

namespace jobstrand::test {

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
