#include "tools/service/metrics.hpp"

#include "schema/ensure.hpp"
#include "schema/text/utf8.hpp"

#include <algorithm>
#include <iterator>

namespace jobstrand::service {

namespace {

constexpr std::size_t kLabelLength = 255;

// Each bucket counts those below it as well.
void append_buckets(
    std::string& text,
    std::string_view name,
    const auto& bounds,
    const auto& histogram,
    auto total
) {
    const auto out = std::back_inserter(text);
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bounds.size(); ++i) {
        sum += histogram.count(i);
        fmt::format_to(out, "{}_bucket{{le=\"{}\"}} {}\n", name, bounds.at(i), sum);
    }
    sum += histogram.count(bounds.size());
    fmt::format_to(out, "{}_bucket{{le=\"+Inf\"}} {}\n", name, sum);
    fmt::format_to(out, "{}_sum {}\n{}_count {}\n", name, total, name, sum);
}

}  // namespace

std::string_view name_of(MetricKind kind) {
    constexpr std::array<std::string_view, 3> names{"counter", "gauge", "histogram"};
    return names.at(static_cast<std::size_t>(kind));
}

void MetricsText::begin(const MetricHead& head) {
    head_ = &head;
    is_head_written_ = false;
}

// A metric without a value has no head either.
void MetricsText::write_head() {
    if (!is_head_written_) {
        is_head_written_ = true;
        fmt::format_to(
            std::back_inserter(text_),
            "# HELP {0} {1}.\n# TYPE {0} {2}\n",
            head_->name,
            head_->meaning,
            name_of(head_->kind)
        );
    }
}

void MetricsText::add_text(
    std::string_view number,
    std::initializer_list<std::string_view> labels
) {
    const auto& names = head_->label_names;
    JOBSTRAND_ENSURE(std::cmp_equal(labels.size(), std::ranges::find(names, "") - names.begin()));
    write_head();
    text_ += head_->name;
    char before = '{';
    auto name = names.begin();
    for (const std::string_view value : labels) {
        text_ += before;
        text_ += label(*name++, value);
        before = ',';
    }
    text_ += labels.size() == 0 ? " " : "} ";
    text_ += number;
    text_ += '\n';
}

void MetricsText::add(const schema::DurationHistogram& histogram) {
    write_head();
    append_buckets(
        text_, head_->name, schema::DurationHistogram::kBoundsS, histogram, histogram.sum_s()
    );
}

void MetricsText::add(const schema::SizeHistogram& histogram) {
    write_head();
    append_buckets(text_, head_->name, schema::SizeHistogram::kBounds, histogram, histogram.sum());
}

std::string label(std::string_view name, std::string_view value) {
    std::string text = fmt::format("{}=\"", name);
    for (const char c : schema::first_characters(value, kLabelLength)) {
        if (c == '\n') {
            text += "\\n";
            continue;
        }
        if (c == '"' || c == '\\') {
            text += '\\';
        }
        text += c;
    }
    return text += '"';
}

std::optional<BacklogCounts> Backlog::last() const {
    const std::scoped_lock lock(mutex_);
    return last_;
}

std::vector<deadletter::PlaceCount> Backlog::last_places() const {
    const std::scoped_lock lock(mutex_);
    if (!last_ || now_() - looked_ > kOfUse) {
        return {};
    }
    std::vector<deadletter::PlaceCount> places = last_->jobs;
    for (deadletter::PlaceCount& place : places) {
        place.as_of = last_->seen;
    }
    return places;
}

bool Backlog::wants_a_look(int rest) {
    const std::scoped_lock lock(mutex_);
    const schema::SteadyPoint now = now_();
    if (is_looking_ || now < next_ || now < ended_ + rest * (ended_ - looked_)) {
        return false;
    }
    next_ = now + kFresh;
    return true;
}

void Backlog::look() {
    {
        const std::scoped_lock lock(mutex_);
        if (std::exchange(is_looking_, true)) {
            return;
        }
    }
    const schema::SteadyPoint began = now_();
    std::optional<BacklogCounts> seen;
    const auto keep = [&] {
        const schema::SteadyPoint ended = now_();
        const std::scoped_lock lock(mutex_);
        last_ = std::move(seen);
        looked_ = began;
        ended_ = ended;
        next_ = ended + kFresh;
        is_looking_ = false;
    };
    try {
        seen = count();
    } catch (...) {
        keep();
        throw;
    }
    keep();
}

BacklogCounts Backlog::count() {
    const schema::TimePoint now = engine_.clock().now();
    const std::optional<schema::TimePoint> due =
        engine_.timer_store().next_due({engine_.handlers().types()});
    persistence::WatchStore& store = engine_.watch_store();
    std::array<std::int64_t, kAhead.size()> timers_due{};
    std::ranges::transform(kAhead, timers_due.begin(), [&](std::chrono::minutes ahead) {
        return store.count_due(now + ahead, kMostCounted);
    });
    return {
        .jobs = deadletter::JobSearch(engine_.store()).count_places(),
        .open_incidents = engine_.history_store().count_open_incidents(),
        .executable_wait = wait_in(schema::JobPlace::executable, now),
        .external_wait = wait_in(schema::JobPlace::external_worker, now),
        .timer_overdue = due ? std::max(now - *due, schema::Duration{0}) : schema::Duration{0},
        .timers_due = timers_due,
        .waiting_jobs = store.count_waiting(kMostCounted),
        .executable_types = store.free_by_type(schema::JobPlace::executable, kRowsRead, kTypesTold),
        .external_types =
            store.free_by_type(schema::JobPlace::external_worker, kRowsRead, kTypesTold),
        .dead_letters = deadletter::latest_causes(engine_.store(), kLettersRead),
        .symptoms = engine_.symptoms(),
        .seen = now,
    };
}

/// Ids ascend with time, so the first free one is the oldest, or nearly.
schema::Duration Backlog::wait_in(schema::JobPlace place, schema::TimePoint now) {
    const auto first = engine_.store().list(place, {.locked = false}, {}, 1);
    if (first.empty()) {
        return schema::Duration{0};
    }
    const schema::TimePoint since =
        first.front().due_date.value_or(first.front().create_time.value_or(now));
    return std::max(now - since, schema::Duration{0});
}

Response metrics(const ApiParts& api, const HttpCounts& http, const Backlog& backlog) {
    engine::Wiring& engine = api.engine;
    const Scrape scrape{
        .api = api,
        .http = http,
        .backlog = backlog.last(),
        .load = engine.load(),
        .times = engine.activity_times(),
        .activities = engine.activity_counts(),
        .actions = engine.action_counts().counts(),
    };
    MetricsText text;
    for (const Metric& metric : all_metrics()) {
        text.begin(metric.head);
        metric.read(scrape, text);
    }
    return {
        .status = 200,
        .content_type = std::string(MetricsText::kContentType),
        .body = text.text(),
    };
}

}  // namespace jobstrand::service
