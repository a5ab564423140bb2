#include "tools/parameters/listing.hpp"

#include "schema/text/time_text.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/records/job_json.hpp"
#include "tools/records/runs_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdint>
#include <limits>
#include <optional>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace jobstrand::cli {

using schema::Job;
using schema::JobPlace;
using schema::PlacedJob;

namespace {

using Order = std::pair<std::string_view, schema::JobMember>;

const std::array<Order, 7> kOrders{{
    {"id", &Job::id},
    {"due", &Job::due_date},
    {"created", &Job::create_time},
    {"priority", &Job::priority},
    {"retries", &Job::retries},
    {"type", &Job::handler_type},
    {"failed", &Job::failed_time},
}};

// The first comma of a mark ends the value.
constexpr std::string_view kComma = "%2C";
constexpr std::string_view kPercent = "%25";

std::string without_comma(std::string_view text) {
    std::string escaped;
    for (const char sign : text) {
        escaped += sign == ',' ? kComma : sign == '%' ? kPercent : std::string_view(&sign, 1);
    }
    return escaped;
}

std::optional<std::string> with_comma(std::string_view escaped) {
    std::string text;
    while (!escaped.empty()) {
        if (escaped.front() != '%') {
            text += escaped.front();
            escaped.remove_prefix(1);
            continue;
        }
        const std::string_view code = escaped.substr(0, kComma.size());
        if (code != kComma && code != kPercent) {
            return std::nullopt;
        }
        text += code == kComma ? ',' : '%';
        escaped.remove_prefix(code.size());
    }
    return text;
}

/// Empty: it has none.
std::string text_of(const Job& job, const schema::JobMember& by) {
    return std::visit(
        [&](auto member) -> std::string {
            const auto& value = job.*member;
            using Type = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Type, std::optional<schema::TimePoint>>) {
                return value ? schema::format_instant(*value) : std::string();
            } else if constexpr (std::is_same_v<Type, std::string>) {
                return without_comma(value);
            } else {
                return std::to_string(value);
            }
        },
        by
    );
}

/// Sets what text_of() told. false: it cannot have told that.
bool set_from(std::string_view text, const schema::JobMember& by, Job& job) {
    return std::visit(
        [&](auto member) {
            auto& value = job.*member;
            using Type = std::decay_t<decltype(value)>;
            if constexpr (std::is_same_v<Type, std::optional<schema::TimePoint>>) {
                const auto time = schema::parse_instant(text);
                value = time ? std::optional(time.value()) : std::nullopt;
                return text.empty() || value.has_value();
            } else if constexpr (std::is_same_v<Type, std::string>) {
                const auto plain = with_comma(text);
                value = plain.value_or("");
                return plain.has_value();
            } else if constexpr (std::is_same_v<Type, bool>) {
                return false;
            } else {
                const char* const end = text.data() + text.size();
                const auto [stop, error] = std::from_chars(text.data(), end, value);
                return error == std::errc{} && stop == end;
            }
        },
        by
    );
}

bool is_by_id(const schema::JobMember& by) {
    return by == schema::JobMember(&Job::id);
}

}  // namespace

std::optional<schema::JobMember> sort_named(std::string_view word) {
    const auto* const found = std::ranges::find(kOrders, word, &Order::first);
    return found == kOrders.end() ? std::nullopt : std::optional(found->second);
}

std::string sort_names() {
    std::string names;
    for (std::size_t i = 0; i < kOrders.size(); ++i) {
        names += i == 0 ? "" : i + 1 == kOrders.size() ? " or " : ", ";
        names += kOrders[i].first;
    }
    return names;
}

std::string mark_behind(const Job& job, const schema::JobMember& by) {
    return is_by_id(by) ? job.id : text_of(job, by) + "," + job.id;
}

std::optional<Job> job_marked(std::string_view mark, const schema::JobMember& by) {
    if (is_by_id(by)) {
        return Job{.id = std::string(mark)};
    }
    const std::size_t comma = mark.find(',');
    if (comma == std::string_view::npos) {
        return std::nullopt;
    }
    Job job{.id = std::string(mark.substr(comma + 1))};
    return set_from(mark.substr(0, comma), by, job) ? std::optional(std::move(job)) : std::nullopt;
}

namespace {

constexpr std::string_view kAllPlaces = "all";

const std::vector<TableColumn>& job_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64, .is_job_id = true},
        {.field = "place", .heading = "PLACE", .rank = 3},
        {.field = "handlerType", .heading = "TYPE", .rank = 1},
        {.field = "series", .heading = "SERIES", .width_max = 64, .is_optional = true, .rank = 5},
        {.field = "retries", .heading = "RETRIES", .rank = 7},
        {.field = "dueDate", .heading = "DUE", .rank = 4},
        {.field = "processInstanceId", .heading = "INSTANCE", .rank = 6},
        {.field = "lockOwner", .heading = "LOCKED BY", .rank = 8},
        {.field = "exceptionMessage",
         .heading = "LAST FAILURE",
         .width_max = 60,
         .rank = 2,
         .width_least = 12,
         .tone = Tone::bad},
    };
    return columns;
}

/// `possible` is what `--place` may be.
[[nodiscard]] JobPlace place_among(std::string_view possible, const std::string& word) {
    if (const auto place = schema::place_named(word)) {
        return *place;
    }
    throw WrongUsage("--place must be {}, not {}", possible, quoted_if_needed(word));
}

[[nodiscard]] std::vector<JobPlace> places_of(const std::string& word) {
    if (word == kAllPlaces) {
        return {schema::kJobPlaces.begin(), schema::kJobPlaces.end()};
    }
    return {place_among("executable, timer, suspended, dead, external, all or done", word)};
}

[[nodiscard]] std::optional<deadletter::JobOrder> order_of(const JobListOptions& options) {
    if (!options.sort) {
        if (options.descending || options.skip) {
            throw WrongUsage("--desc and --skip go with --sort");
        }
        return std::nullopt;
    }
    const auto by = sort_named(*options.sort);
    if (!by) {
        throw WrongUsage(
            "--sort must be {}, not {}", sort_names(), quoted_if_needed(*options.sort)
        );
    }
    if (options.place == kAllPlaces || (options.skip && !options.after.empty())) {
        throw WrongUsage("--sort is for one place, and goes on with --after or --skip");
    }
    constexpr std::int64_t most = std::numeric_limits<std::int32_t>::max();
    const std::int64_t skipped = options.skip ? whole_number("--skip", *options.skip, 0, most) : 0;
    deadletter::JobOrder order{
        .by = *by,
        .is_descending = options.descending,
        .skipped = static_cast<std::size_t>(skipped),
    };
    if (!options.after.empty()) {
        order.behind = job_marked(options.after, *by);
        if (!order.behind) {
            throw WrongUsage(
                "with --sort, --after must be VALUE,ID as the list before has said it, not " +
                quoted_if_needed(options.after)
            );
        }
    }
    return order;
}

[[nodiscard]] ExitCode list_done(Session& session, const JobListOptions& options) {
    const auto filter = done_filter_of(filter_of(session, options.filter));
    if (!filter || options.sort || options.descending || options.skip) {
        throw WrongUsage(
            "--place done goes with --type, --tenant, --instance, --after and --limit: the latest "
            "run comes first"
        );
    }
    write_page(
        session,
        session.last_runs().list(*filter, options.after, limit_of(session, options.limit)),
        columns_of(done_fields()),
        [](const FinishedRun& run) { return record_of(done_fields(), run); },
        [](const FinishedRun& run) { return run.id; }
    );
    return ExitCode::done;
}

}  // namespace

ExitCode list_jobs(Session& session, const JobListOptions& options) {
    if (options.place == kDonePlace) {
        return list_done(session, options);
    }
    const deadletter::JobQuery query{
        .places = places_of(options.place),
        .filter = filter_of(session, options.filter),
        .order = order_of(options),
        .after = options.sort ? "" : options.after,
        .limit = limit_of(session, options.limit),
        .patience = deadletter::kPatience,
    };
    const auto page = session.search().list(query);
    if (!query.order) {
        write_jobs(session, page);
        print_rest(session, page, &schema::Job::id);
        return ExitCode::done;
    }
    write_page(
        session,
        page,
        job_columns(),
        [](const PlacedJob& placed) { return record_of(placed); },
        [&](const PlacedJob& placed) {
            return quoted_if_needed(mark_behind(placed.job, query.order->by));
        }
    );
    print_rest(session, page, query.order->by);
    return ExitCode::done;
}

void print_rest(Session& session, const deadletter::JobPage& page, const schema::JobMember& by) {
    if (page.looked_until) {
        const std::string mark = mark_behind(*page.looked_until, by);
        session.note_more(mark);
        session.tell(
            "a part of the payloads was looked into: go on with --after {}", quoted_if_needed(mark)
        );
    }
}

void write_jobs(Session& session, const schema::Page<PlacedJob>& jobs) {
    write_page(
        session,
        jobs,
        job_columns(),
        [](const PlacedJob& placed) { return record_of(placed); },
        [](const PlacedJob& placed) { return placed.job.id; }
    );
}

JobPlace place_of(const std::string& word) {
    return place_among("executable, timer, suspended, dead or external", word);
}

}  // namespace jobstrand::cli
