#pragma once

#include "schema/time.hpp"
#include "tools/process/stop_signals.hpp"

#include <termios.h>

#include <cstddef>
#include <optional>
#include <ostream>
#include <string_view>

namespace jobstrand::cli {

/// A terminal that shows one thing after the other in the same place, without scrolling: stdout is
/// one. Keys are not shown meanwhile. What stood there before comes back when this ends.
///
/// Signals that end the program end wait(): make it before any other thread (see StopSignals).
class Screen final {
public:
    explicit Screen(std::ostream& out);
    ~Screen();

    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    /// As it is now.
    [[nodiscard]] static std::optional<std::size_t> columns();

    /// Lines that have no room at the bottom are left out.
    void show(std::string_view frame);

    /// Waits; true: somebody wants to end (the key q, Ctrl-C, SIGTERM).
    [[nodiscard]] bool wait(schema::Duration duration);

private:
    [[nodiscard]] bool was_q_typed();

    std::ostream& out_;
    StopSignals signals_;
    std::optional<termios> before_;  ///< nullopt: stdin is no terminal.
    bool is_input_over_ = false;
};

}  // namespace jobstrand::cli
