#include "tools/operations/top/screen.hpp"

#include "tools/process/this_process.hpp"

#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>

namespace jobstrand::cli {

namespace {

// ECMA-48, and what every terminal has taken over from xterm: a screen of its own.
constexpr std::string_view kEnter = "\x1b[?1049h\x1b[?25l";
constexpr std::string_view kLeave = "\x1b[?25h\x1b[?1049l";
constexpr std::string_view kHome = "\x1b[H";
constexpr std::string_view kClearLine = "\x1b[K";
constexpr std::string_view kClearBelow = "\x1b[J";

/// How soon a key is seen.
constexpr schema::Duration kKeyLook = std::chrono::milliseconds(100);

constexpr std::size_t kRowsUnlessTold = 24;

[[nodiscard]] std::size_t rows() {
    winsize size{};
    const bool is_told = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 0;
    return is_told ? size.ws_row : kRowsUnlessTold;
}

}  // namespace

Screen::Screen(std::ostream& out) : out_(out) {
    termios now{};
    if (::tcgetattr(STDIN_FILENO, &now) == 0) {
        before_ = now;
        now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
        (void)::tcsetattr(STDIN_FILENO, TCSANOW, &now);
    }
    out_ << kEnter << std::flush;
}

Screen::~Screen() {
    out_ << kLeave << std::flush;
    if (before_) {
        (void)::tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
    }
}

std::optional<std::size_t> Screen::columns() {
    return terminal_columns(STDOUT_FILENO);
}

void Screen::show(std::string_view frame) {
    out_ << kHome;
    for (std::size_t left = rows() - 1; left > 0 && !frame.empty(); --left) {
        const std::size_t end = std::min(frame.find('\n'), frame.size());
        out_ << frame.substr(0, end) << kClearLine << "\r\n";
        frame.remove_prefix(std::min(end + 1, frame.size()));
    }
    out_ << kClearBelow << std::flush;
}

bool Screen::wait(schema::Duration duration) {
    for (schema::Duration left = duration; left > schema::Duration{0}; left -= kKeyLook) {
        const StopSignals::Event event = signals_.wait(std::min(left, kKeyLook));
        if (event != StopSignals::Event::timed_out || was_q_typed()) {
            return true;
        }
    }
    return false;
}

bool Screen::was_q_typed() {
    pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
    bool is_q = false;
    while (!is_input_over_ && !is_q && ::poll(&input, 1, 0) > 0) {
        std::array<char, 64> keys{};
        const ssize_t count = ::read(STDIN_FILENO, keys.data(), keys.size());
        is_input_over_ = count <= 0;
        is_q = std::any_of(keys.begin(), keys.begin() + std::max<ssize_t>(count, 0), [](char key) {
            return key == 'q' || key == 'Q';
        });
    }
    return is_q;
}

}  // namespace jobstrand::cli
