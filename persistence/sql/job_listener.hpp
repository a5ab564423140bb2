#pragma once

#include <functional>
#include <memory>

namespace jobstrand::persistence {

/// Hears when other processes have committed new jobs, on databases that can tell.
///
/// An announcement says that something is there, not what: whoever hears one looks into the tables.
/// One may be lost with its connection, so that tables are also polled.
///
/// Thread safety: none; one thread at a time.
class JobListener {
public:
    virtual ~JobListener() = default;

    /// Readable when there may be announcements, or the connection is lost.
    [[nodiscard]] virtual int socket() const = 0;

    /// Takes what has come in, without waiting. Returns whether jobs were announced since the last
    /// call. Throws DbError connection_lost; then this listener hears nothing more.
    [[nodiscard]] virtual bool take_announcements() = 0;
};

/// Makes a listener; from then on it hears every announcement. Blocks while it connects. Throws
/// DbError.
using OpenListener = std::function<std::unique_ptr<JobListener>()>;

}  // namespace jobstrand::persistence
