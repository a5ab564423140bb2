#pragma once

#include "schema/time.hpp"
#include "tools/process/streams.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// Who started the service and wants to hear how it goes: systemd, by the protocol of sd_notify(3),
/// one datagram for each piece of news. When NOTIFY_SOCKET is not set nobody wants to hear it, and
/// the calls do nothing. Whether news arrived does not matter to the service.
///
/// Thread safety: the calls may come from any thread.
class Supervisor final {
public:
    /// NOTIFY_SOCKET is a path, or `@name` for Linux's abstract namespace. WATCHDOG_USEC counts
    /// unless WATCHDOG_PID says that another process is meant.
    explicit Supervisor(const Environment& environment);

    /// The service takes jobs. `status` is one line for people.
    void notify_ready(std::string_view status) const { tell("READY=1\nSTATUS=", status); }
    void notify_stopping() const { tell("STOPPING=1\nSTATUS=", "running jobs may finish"); }
    void notify_alive() const { tell("WATCHDOG=1", ""); }

    /// How often notify_alive() is due: twice in the time after which the watchdog would end this
    /// process. nullopt: nobody watches.
    [[nodiscard]] std::optional<schema::Duration> alive_interval() const { return interval_; }

private:
    void tell(std::string_view what, std::string_view text) const;

    const std::string socket_;  ///< Empty: nobody listens.
    const std::optional<schema::Duration> interval_;
};

}  // namespace jobstrand::cli
