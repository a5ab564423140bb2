#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <ostream>
#include <streambuf>
#include <string>
#include <utility>

namespace jobstrand::cli {

/// What a stream writes to a descriptor whose reader may stall: a full pipe, a paused terminal, a
/// frozen disk. Whole lines go into a queue of a bounded size, from which a thread of its own
/// writes them; what finds no room is dropped and counted, and told in a line as soon as there is
/// room again. Nobody who writes ever waits for the reader.
///
/// Thread safety: as the buffer of a stream and dropped(), safe.
class QueuedOutlet final : public std::streambuf {
public:
    struct Settings {
        std::size_t bytes = std::size_t{1} << 20;  ///< That wait at most.
        /// Says in a line, without its end, how many were dropped. Called on the outlet's thread.
        std::function<std::string(std::uint64_t)> told_drop;
    };

    /// `descriptor` stays open, and whoever passed it closes it after this. Throws
    /// std::system_error for a thread that cannot be started.
    QueuedOutlet(int descriptor, Settings settings);

    /// As close(), with a second of patience.
    ~QueuedOutlet() override;

    QueuedOutlet(const QueuedOutlet&) = delete;
    QueuedOutlet& operator=(const QueuedOutlet&) = delete;

    /// Lines that nobody will read.
    [[nodiscard]] const std::atomic<std::uint64_t>& dropped() const;

    /// Writes what waits, as far as the reader takes it within `patience`; what comes later is
    /// dropped. A thread that the system does not let go of is left behind. May be called again.
    void close(std::chrono::milliseconds patience);

protected:
    int_type overflow(int_type character) override;
    std::streamsize xsputn(const char* text, std::streamsize size) override;
    /// Hands on the lines that are whole.
    int sync() override;

private:
    class Queue;

    const std::shared_ptr<Queue> queue_;  ///< Shared with the thread, which may outlive this.
    std::mutex mutex_;
    std::string pending_;  ///< What is to become a line. Guarded by mutex_.
};

/// A stream that writes through such an outlet as long as this lives.
///
/// Thread safety: none. Nobody uses the stream while it is made or destroyed.
class QueuedStream final {
public:
    QueuedStream(std::ostream& stream, int descriptor, QueuedOutlet::Settings settings)
        : outlet_(descriptor, std::move(settings)),
          stream_(stream),
          former_(stream.rdbuf(&outlet_)) {}
    ~QueuedStream() { stream_.rdbuf(former_); }

    QueuedStream(const QueuedStream&) = delete;
    QueuedStream& operator=(const QueuedStream&) = delete;

    [[nodiscard]] QueuedOutlet& outlet() { return outlet_; }

private:
    QueuedOutlet outlet_;
    std::ostream& stream_;
    std::streambuf* const former_;
};

}  // namespace jobstrand::cli
