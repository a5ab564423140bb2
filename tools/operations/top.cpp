#include "tools/operations/top.hpp"

#include "deadletter/overview.hpp"
#include "schema/text/time_text.hpp"
#include "schema/time.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/output/record.hpp"
#include "tools/output/record_writer.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/process/signals.hpp"
#include "tools/process/this_process.hpp"
#include "tools/records/stats_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <poll.h>
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <optional>
#include <ostream>
#include <ranges>
#include <sstream>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::cli {

using namespace std::chrono_literals;
using deadletter::Overview;
using deadletter::PlaceCount;
using deadletter::TypeActivity;

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

/// A terminal that shows one thing after the other in the same place, without scrolling: stdout is
/// one. Keys are not shown meanwhile. What stood there before comes back when this ends.
///
/// Signals that end the program end wait(): make it before any other thread (see StopSignals).
class Screen final {
public:
    explicit Screen(std::ostream& out) : out_(out) {
        termios now{};
        if (::tcgetattr(STDIN_FILENO, &now) == 0) {
            before_ = now;
            now.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO);
            (void)::tcsetattr(STDIN_FILENO, TCSANOW, &now);
        }
        out_ << kEnter << std::flush;
    }

    ~Screen() {
        out_ << kLeave << std::flush;
        if (before_) {
            (void)::tcsetattr(STDIN_FILENO, TCSANOW, &*before_);
        }
    }

    Screen(const Screen&) = delete;
    Screen& operator=(const Screen&) = delete;

    /// As it is now.
    [[nodiscard]] static std::optional<std::size_t> columns() {
        return terminal_columns(STDOUT_FILENO);
    }

    /// Lines that have no room at the bottom are left out.
    void show(std::string_view frame) {
        out_ << kHome;
        for (std::size_t left = rows() - 1; left > 0 && !frame.empty(); --left) {
            const std::size_t end = std::min(frame.find('\n'), frame.size());
            out_ << frame.substr(0, end) << kClearLine << "\r\n";
            frame.remove_prefix(std::min(end + 1, frame.size()));
        }
        out_ << kClearBelow << std::flush;
    }

    /// Waits; true: somebody wants to end (the key q, Ctrl-C, SIGTERM).
    [[nodiscard]] bool wait(schema::Duration duration) {
        for (schema::Duration left = duration; left > schema::Duration{0}; left -= kKeyLook) {
            const StopSignals::Event event = signals_.wait(std::min(left, kKeyLook));
            if (event != StopSignals::Event::timed_out || was_q_typed()) {
                return true;
            }
        }
        return false;
    }

private:
    [[nodiscard]] bool was_q_typed() {
        pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
        bool is_q = false;
        while (!is_input_over_ && !is_q && ::poll(&input, 1, 0) > 0) {
            std::array<char, 64> keys{};
            const ssize_t count = ::read(STDIN_FILENO, keys.data(), keys.size());
            is_input_over_ = count <= 0;
            is_q =
                std::any_of(keys.begin(), keys.begin() + std::max<ssize_t>(count, 0), [](char key) {
                    return key == 'q' || key == 'Q';
                });
        }
        return is_q;
    }

    std::ostream& out_;
    StopSignals signals_;
    std::optional<termios> before_;  ///< nullopt: stdin is no terminal.
    bool is_input_over_ = false;
};

constexpr std::size_t kTypesShown = 10;

const std::vector<TableColumn>& place_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "place", .heading = "PLACE"},
        {.field = "jobs", .heading = "JOBS"},
        {.field = "locked", .heading = "LOCKED"},
        {.field = "changePerSecond", .heading = "CHANGE/S", .is_optional = true},
    };
    return columns;
}

const std::vector<TableColumn>& node_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "node", .heading = "NODE", .width_max = 64},
        {.field = "state", .heading = "STATE"},
        {.field = "running", .heading = "RUNNING"},
        {.field = "workers", .heading = "WORKERS", .rank = 2},
        {.field = "held", .heading = "HELD", .rank = 1},
        {.field = "leaseUntil", .heading = "LEASE ENDS", .rank = 3},
        {.field = "standstill",
         .heading = "STANDS STILL",
         .width_max = 80,
         .is_optional = true,
         .width_least = 16},
    };
    return columns;
}

const std::vector<TableColumn>& type_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "handlerType", .heading = "SLOWEST TYPES", .width_max = 64},
        {.field = "runsLastMinute", .heading = "RUNS/MIN"},
        {.field = "failedLastMinute", .heading = "FAILED/MIN", .rank = 1},
        {.field = "free", .heading = "FREE", .rank = 3},
        {.field = "waitsSince", .heading = "WAITS SINCE", .rank = 1},
        {.field = "longRuns", .heading = "LONG RUNS", .rank = 4},
        {.field = "runsSince", .heading = "RUNS SINCE", .rank = 2},
    };
    return columns;
}

const std::vector<TableColumn>& topic_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "topic", .heading = "EXTERNAL TOPICS", .width_max = 64},
        {.field = "waiting", .heading = "WAITING"},
        {.field = "waitsSince", .heading = "WAITS SINCE", .rank = 2},
        {.field = "locked", .heading = "LOCKED", .rank = 3},
        {.field = "workers", .heading = "WORKERS"},
        {.field = "lastAsked", .heading = "LAST ASKED", .rank = 1},
        {.field = "lastWorker", .heading = "BY", .width_max = 64, .rank = 4},
    };
    return columns;
}

/// With one digit behind the point.
[[nodiscard]] RecordField rate_field(std::string_view name, double rate) {
    const std::string text = fmt::format("{:.1f}", rate);
    return {.name = name, .json = text, .text = text, .is_number = true};
}

[[nodiscard]] Record record_of_type(const TypeActivity& type) {
    return {
        text_field("handlerType", type.handler_type),
        number_field("runsLastMinute", type.runs_last_minute),
        number_field("failedLastMinute", type.failed_last_minute),
        number_field("free", type.free),
        time_field("waitsSince", type.waits_since),
        number_field("longRuns", type.long_runs),
        time_field("runsSince", type.runs_since),
    };
}

[[nodiscard]] Record record_of_place(const PlaceCount& count) {
    return {
        text_field("place", name_of(count.place)),
        number_field("jobs", count.jobs),
        number_field("locked", count.locked),
        number_field("lookedAt", count.looked_at),
    };
}

/// How fast a place has filled since it was shown last; negative: it empties.
[[nodiscard]] RecordField
change_of(const PlaceCount& count, const Overview& overview, const Overview* before) {
    RecordField field = text_or_null_field("changePerSecond", {});
    if (before == nullptr || overview.now <= before->now) {
        return field;
    }
    const auto was = std::ranges::find(before->places, count.place, &PlaceCount::place);
    if (was != before->places.end()) {
        const double seconds = std::chrono::duration<double>(overview.now - before->now).count();
        field.text = fmt::format("{:+.0f}", static_cast<double>(count.jobs - was->jobs) / seconds);
        field.json = field.text;
        field.is_number = true;
    }
    return field;
}

template <typename Items, typename RecordOf>
[[nodiscard]] std::string table_of(
    const Items& items,
    const std::vector<TableColumn>& columns,
    const OutputStyle& style,
    const RecordOf& record_of_item
) {
    std::ostringstream out;
    RecordWriter writer(out, OutputFormat::table, columns, style);
    for (const auto& item : items) {
        writer.add(record_of_item(item));
    }
    writer.finish();
    return out.str();
}

template <typename Items, typename RecordOf>
[[nodiscard]] RecordField
list_field(std::string_view name, const Items& items, const RecordOf& record_of_item) {
    std::vector<std::string> objects;
    for (const auto& item : items) {
        objects.push_back(json_of(record_of_item(item)));
    }
    const std::string json = fmt::format("[{}]", fmt::join(objects, ","));
    return {.name = name, .json = json, .text = json};
}

[[nodiscard]] std::string head_of(const Overview& overview) {
    const double runs = overview.sum_of(&TypeActivity::runs_per_second);
    const double failed = overview.sum_of(&TypeActivity::failed_per_second);
    const auto alive = std::ranges::count_if(overview.nodes, [&](const persistence::Node& node) {
        return node.lease_until >= overview.now;
    });
    return fmt::format(
        "{}   {:.1f} ok/s, {:.1f} failed/s   {} due within a minute   {} wait for others, {} for a "
        "limit   {} of {} nodes live\n",
        schema::format_instant(overview.now),
        runs - failed,
        failed,
        overview.due_soon,
        overview.waiting.exclusive,
        overview.waiting.limited,
        alive,
        overview.nodes.size()
    );
}

/// What goes on as one object.
[[nodiscard]] Record overview_record(const Overview& overview) {
    return {
        time_field("now", overview.now),
        number_field("runsLastMinute", overview.sum_of(&TypeActivity::runs_last_minute)),
        number_field("failedLastMinute", overview.sum_of(&TypeActivity::failed_last_minute)),
        rate_field("runsPerSecond", overview.sum_of(&TypeActivity::runs_per_second)),
        rate_field("failedPerSecond", overview.sum_of(&TypeActivity::failed_per_second)),
        number_field("dueWithinMinute", overview.due_soon),
        number_field("waitingForOthers", overview.waiting.exclusive),
        number_field("waitingForLimits", overview.waiting.limited),
        list_field("places", overview.places, record_of_place),
        list_field(
            "nodes",
            overview.nodes,
            [](const persistence::Node& node) { return record_of(node_fields(), node); }
        ),
        list_field("types", overview.types, record_of_type),
        external_field(overview.external),
    };
}

[[nodiscard]] std::vector<DescribedField> described_overview() {
    constexpr JsonType kInteger{.name = "integer"};
    constexpr JsonType kNumber{.name = "number"};
    constexpr JsonType kList{.name = ""};
    return {
        {"now", "By the database's clock", {.format = "date-time"}},
        {"runsLastMinute", {}, kInteger},
        {"failedLastMinute", {}, kInteger},
        {"runsPerSecond", {}, kNumber},
        {"failedPerSecond", {}, kNumber},
        {"dueWithinMinute", "Timers, overdue ones too; at most 100,000 are counted", kInteger},
        {"waitingForOthers", {}, kInteger},
        {"waitingForLimits", {}, kInteger},
        {"places",
         "`place`, `jobs`, `locked`, and `lookedAt`: at least so many, or null where all were "
         "counted",
         kList},
        {"nodes", "As /api/v1/nodes has them", kList},
        {"types", "The slowest first", kList},
        {"external", "Topics of external workers", kList},
    };
}

/// The same for a person, some lines. `before`, which may be null, is what was shown last, and says
/// how fast places fill and empty. Of the types the slowest ones are shown.
[[nodiscard]] std::string
frame_of(const Overview& overview, const Overview* before, const OutputStyle& wanted) {
    OutputStyle style = wanted;
    if (style.columns) {
        style.now = overview.now;
    }
    const auto place = [&](const PlaceCount& count) {
        Record record = record_of_place(count);
        record.push_back(change_of(count, overview, before));
        return record;
    };
    const auto node = [](const persistence::Node& one) { return record_of(node_fields(), one); };
    const auto topic = [](const deadletter::ExternalTopic& one) { return record_of(one); };
    const std::string external = overview.external.empty()
                                     ? ""
                                     : '\n' + table_of(
                                                  overview.external | std::views::take(kTypesShown),
                                                  topic_columns(),
                                                  style,
                                                  topic
                                              );
    return head_of(overview) + '\n' + table_of(overview.places, place_columns(), style, place) +
           '\n' + table_of(overview.nodes, node_columns(), style, node) + '\n' +
           table_of(
               overview.types | std::views::take(kTypesShown), type_columns(), style, record_of_type
           ) +
           external;
}

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
        throw WrongUsage("--interval must be 100 ms to 1 h");
    }
    return interval;
}

[[nodiscard]] ExitCode show_once(Session& session, bool is_soon) {
    const Overview now = overview(session, is_soon);
    if (session.format() == OutputFormat::table) {
        session.streams().out << frame_of(now, nullptr, session.style());
    } else {
        write_result(session, overview_record(now));
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

namespace {

/// Until somebody ends it; to a client of a service one time, in any format.
[[nodiscard]] ExitCode show_top(Session& session, const TopOptions& options) {
    (void)interval_of(options);
    if (options.once || session.is_for_client()) {
        return show_once(session, options.soon);
    }
    if (!goes_on(session, options)) {
        throw WrongUsage("top is for a terminal; elsewhere, and in other formats, --once");
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

}  // namespace

OperationNoun top_verb() {
    return {
        .operations = {writing_operation<TopOptions>(
            {.words = "top",
             .summary = "Show what goes on, again and again: rates, places, nodes, the slowest "
                        "types (q ends)",
             .examples = "  jobstrand top\n"
                         "  jobstrand top --interval 10s\n"
                         "  jobstrand top --once -o json | jq .runsLastMinute",
             .role = service::Role::read,
             .path = "GET /api/v1/top"},
            {{"--once", &TopOptions::once, "Show it one time, and end", {.is_for_terminal = true}},
             {"--interval",
              &TopOptions::interval,
              "How often (default 2s)",
              {.unit = "DURATION", .is_for_terminal = true, .may_be_empty = true}},
             {"--soon", &TopOptions::soon, kSoon}},
            {.kind = DescribedResult::Kind::record, .fields = described_overview()},
            show_top
        )}};
}

}  // namespace jobstrand::cli
