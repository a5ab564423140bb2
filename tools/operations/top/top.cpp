#include "tools/operations/top/top.hpp"

#include "deadletter/admin/overview.hpp"
#include "tools/operations/top/overview_frame.hpp"
#include "tools/operations/top/screen.hpp"
#include "tools/parameters/option_values.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <utility>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using deadletter::Overview;

/// Reading takes at most the tenth part of the time, however full the tables are.
constexpr int kRestForEachRead = 9;

[[nodiscard]] Overview overview(Session& session, bool is_soon) {
    engine::Wiring& engine = session.engine();
    return deadletter::OverviewReader(
               {engine.store(), engine.watch_store(), engine.node_store()}, engine.clock()
    )
        .read(is_soon ? std::optional(deadletter::kRowsSoon) : std::nullopt);
}

[[nodiscard]] schema::Duration interval_of(const TopOptions& options) {
    const schema::Duration interval = duration_of("--interval", options.interval);
    if (interval < 100ms || interval > 1h) {
        throw CliError(ExitCode::wrong_usage, "--interval must be 100 ms to 1 h");
    }
    return interval;
}

[[nodiscard]] ExitCode show_once(Session& session, bool is_soon) {
    const Overview now = overview(session, is_soon);
    if (session.format() == OutputFormat::table) {
        session.streams().out << frame_of(now, nullptr, session.style());
    } else {
        write_record(session.streams().out, session.format(), record_of(now), session.style());
    }
    return ExitCode::done;
}

}  // namespace

bool goes_on(Session& session, const TopOptions& options) {
    return !options.once && session.streams().out_columns &&
           session.format() == OutputFormat::table;
}

void show_again(
    Session& session,
    const TopOptions& options,
    const std::function<std::string(std::optional<std::size_t> columns)>& look
) {
    const schema::Duration interval = interval_of(options);
    Screen screen(session.streams().out);
    schema::Duration rest{0};
    do {
        const schema::SteadyPoint begin = session.clock().steady_now();
        screen.show(look(Screen::columns()));
        const auto took = std::chrono::ceil<schema::Duration>(session.clock().steady_now() - begin);
        rest = std::max(interval, took * kRestForEachRead);
    } while (!screen.wait(rest));
}

ExitCode show_top(Session& session, const TopOptions& options) {
    (void)interval_of(options);
    if (options.once || session.is_for_client()) {
        return show_once(session, options.soon);
    }
    if (!goes_on(session, options)) {
        throw CliError(
            ExitCode::wrong_usage, "top is for a terminal; elsewhere, and in other formats, --once"
        );
    }
    OutputStyle style = session.style();
    std::optional<Overview> before;
    show_again(session, options, [&](std::optional<std::size_t> columns) {
        Overview now = overview(session, options.soon);
        style.columns = columns;
        std::string frame = frame_of(now, before ? &*before : nullptr, style);
        before = std::move(now);
        return frame;
    });
    return ExitCode::done;
}

}  // namespace jobstrand::cli
