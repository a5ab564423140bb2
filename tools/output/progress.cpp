#include "tools/output/progress.hpp"

#include <fmt/format.h>

#include <chrono>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using schema::Duration;
using schema::SteadyPoint;

/// Who waits for less has no use for it.
constexpr Duration kBeforeFirst = 250ms;
constexpr Duration kBetweenRewrites = 100ms;
constexpr Duration kBetweenLines = 2s;

/// Returns to the start of the line and clears what a longer one has left.
constexpr std::string_view kRewriteLine = "\r\x1b[K";

}  // namespace

Progress::Progress(
    Streams& streams,
    const schema::Clock& clock,
    std::string_view done_word,
    std::int64_t before
)
    : streams_(streams),
      clock_(clock),
      done_word_(done_word),
      before_(before),
      start_(clock.steady_now()),
      last_line_(start_) {}

Progress::~Progress() {
    if (has_written_ && streams_.err_is_terminal) {
        streams_.err << '\n' << std::flush;
    }
}

void Progress::show(std::int64_t done, std::int64_t total) {
    const SteadyPoint now = clock_.steady_now();
    if (is_time_for_a_line(now)) {
        write(now, line(now, done, total));
    }
}

void Progress::show(std::int64_t done) {
    const SteadyPoint now = clock_.steady_now();
    if (is_time_for_a_line(now)) {
        write(now, fmt::format("{} {} so far, {:.0f}/s", done_word_, done, rate(now, done)));
    }
}

void Progress::write(SteadyPoint now, const std::string& text) {
    if (streams_.err_is_terminal) {
        streams_.err << kRewriteLine << text << std::flush;
    } else {
        streams_.err << text << '\n' << std::flush;
    }
    last_line_ = now;
    has_written_ = true;
}

bool Progress::is_time_for_a_line(SteadyPoint now) const {
    if (!streams_.err_is_terminal) {
        return now - last_line_ >= kBetweenLines;
    }
    return now - last_line_ >= (has_written_ ? kBetweenRewrites : kBeforeFirst);
}

double Progress::rate(SteadyPoint now, std::int64_t done) const {
    const double seconds = std::chrono::duration<double>(now - start_).count();
    return seconds > 0 ? static_cast<double>(done - before_) / seconds : 0;
}

std::string Progress::line(SteadyPoint now, std::int64_t done, std::int64_t total) {
    const double rate = this->rate(now, done);
    std::string text = fmt::format("{} {} of {}", done_word_, done, total);
    if (total > 0) {
        text += fmt::format(" ({} %)", done * 100 / total);
    }
    if (rate > 0) {
        const double left = static_cast<double>(total - done) / rate;
        text += fmt::format(", {:.0f}/s, {:.0f} s left", rate, left);
    }
    return text;
}

}  // namespace jobstrand::cli
