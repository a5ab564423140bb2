#pragma once

#include "tools/engine/wiring.hpp"
#include "tools/session/session.hpp"
#include "tools/settings/settings.hpp"

namespace jobstrand::cli {

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

}  // namespace jobstrand::cli
