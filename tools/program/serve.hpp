#pragma once

#include "schema/log.hpp"
#include "tools/engine/wiring.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"
#include "tools/settings/settings.hpp"

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

namespace jobstrand::cli {

/// A step of the start of a service, as long as it lives. When it takes longer than `patience`, the
/// log says once what is waited for.
class SlowStep final {
public:
    /// The log must outlive it.
    SlowStep(
        schema::Log& log,
        std::string waits_for,
        std::chrono::milliseconds patience = std::chrono::seconds(2)
    );

private:
    std::mutex mutex_;
    std::condition_variable_any is_over_;
    std::jthread thread_;  ///< Ends first.
};

/// Takes over into a running service what its configuration file says now: `logLevel`, [commands]
/// and [targets] with their secrets, and which jobs the node serves. Jobs that run end with what
/// they began with. What else has changed is named in the log: it counts when the service is
/// started again.
///
/// Thread safety: none needed; the thread that waits for signals calls it.
class Reload final {
public:
    /// `engine` is the service's only one; nullptr: it has several, and then of the file `logLevel`
    /// alone counts at once. Both are borrowed.
    Reload(Session& session, engine::Wiring* engine)
        : session_(session), engine_(engine), running_(session.settings()) {}

    /// Without a configuration file there is nothing to read again.
    [[nodiscard]] bool is_possible() const { return session_.config_file().has_value(); }

    /// A file with a mistake is told in the log, and changes nothing.
    void run();

private:
    void take_over(const Settings& anew);
    void take_over_handlers(const Settings& anew);
    void take_over_scope(const Settings& anew);
    void print_what_waits(const Settings& anew);

    Session& session_;
    engine::Wiring* const engine_;
    Settings running_;  ///< What counts now.
};

struct ServeOptions {
    bool no_executor = false;
    std::optional<std::string> http;  ///< Where to listen, in place of httpListen.
};

/// `serve`: runs jobs until a signal says stop; SIGHUP makes it read its configuration file again,
/// and without one stops it too. The first signal lets running jobs finish (within
/// awaitTerminationPeriod) and frees those that wait; a second one stops them. Jobs that do not end
/// even then are left to their locks, and the process ends at once, with exit code 1.
[[nodiscard]] ExitCode serve(Session& session, const ServeOptions& options);

}  // namespace jobstrand::cli
