#pragma once

#include "schema/time.hpp"

#include <chrono>
#include <cstddef>
#include <istream>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// What the program reads and writes: data on out, everything else on err.
struct Streams {
    std::istream& in;
    std::ostream& out;
    std::ostream& err;
    bool in_is_terminal = false;
    bool err_is_terminal = false;
    std::optional<int> err_descriptor = {};       ///< That `err` writes to; nullopt: none.
    bool err_is_coloured = false;                 ///< Words about what went wrong stand out.
    std::optional<std::size_t> out_columns = {};  ///< Of the terminal that `out` is; nullopt: none.
    void (*when_out_fails)() = nullptr;           ///< Before it is told; it need not return.
};

/// The environment variables.
using Environment = std::map<std::string, std::string, std::less<>>;

/// nullopt: it is not set, or empty.
[[nodiscard]] std::optional<std::string>
variable(const Environment& environment, std::string_view name);

// What main does with the process itself.

/// Opens something on those of 0, 1 and 2 that are closed, so that no file of ours gets their
/// number. What is read from them or written to them fails, as it would have.
void occupy_standard_descriptors();

/// Lets this process open so many files and connections, if it may not yet and its hard limit
/// allows it.
void allow_descriptors(std::size_t count);

/// Overwrites the passwords in database URLs among the arguments, which `ps` would show.
void hide_passwords(std::span<char*> arguments);

/// A text for a message: the password of a database URL in it becomes `***`.
[[nodiscard]] std::string without_password(std::string text);

/// How many columns the terminal has that a descriptor is; nullopt: it is none. 80 when it does not
/// tell.
[[nodiscard]] std::optional<std::size_t> terminal_columns(int descriptor);

/// Whether SIGPIPE ends this process now. To be asked first of all: client libraries of databases
/// ignore it for the whole process.
[[nodiscard]] bool does_sigpipe_end_us();

/// Ends the process by SIGPIPE if nobody reads its stdout any more, as `| head` expects.
void end_if_nobody_reads();

/// Whether a terminal shows colours: it knows them (TERM), and nobody has said no (NO_COLOR,
/// https://no-color.org).
[[nodiscard]] bool takes_colours(const Environment& environment);

/// Ends the process with exit code 0 and without a word when it still lives after this time.
void end_quietly_after(std::chrono::seconds time);

[[nodiscard]] Environment environment_of_process();

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
