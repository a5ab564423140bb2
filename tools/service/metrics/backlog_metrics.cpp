#include "tools/service/metrics/backlog_metrics.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace jobstrand::service {

namespace {

using schema::JobPlace;

constexpr std::size_t kGroupsTold = 5;

double seconds_of(schema::Duration time) {
    return std::chrono::duration<double>(time).count();
}

std::string place_label(JobPlace place) {
    return label("place", name_of(place));
}

void write_places(MetricsText& text, const BacklogCounts& backlog) {
    text.begin("jobstrand_jobs", "gauge", "Jobs in each place of the database, as seen last.");
    for (const deadletter::PlaceCount& count : backlog.jobs) {
        text.value(static_cast<double>(count.jobs), place_label(count.place));
    }
    text.gauge(
        "jobstrand_open_incidents",
        static_cast<double>(backlog.open_incidents),
        "Dead letters that nobody has dealt with yet, as seen last."
    );
    text.begin(
        "jobstrand_oldest_seconds",
        "gauge",
        "For how long the oldest free job could have run, and the first timer has been overdue."
    );
    text.value(seconds_of(backlog.executable_wait), place_label(JobPlace::executable));
    text.value(seconds_of(backlog.external_wait), place_label(JobPlace::external_worker));
    text.value(seconds_of(backlog.timer_overdue), place_label(JobPlace::timer));
}

/// Calls `write` for each type, with its labels.
void each_type(const BacklogCounts& backlog, const auto& write) {
    const auto each_of = [&](JobPlace place, const std::vector<persistence::FreeJobs>& types) {
        for (const persistence::FreeJobs& type : types) {
            write(type, place_label(place) + ',' + label("type", type.handler_type));
        }
    };
    each_of(JobPlace::executable, backlog.executable_types);
    each_of(JobPlace::external_worker, backlog.external_types);
}

void write_types(MetricsText& text, const BacklogCounts& backlog) {
    text.begin(
        "jobstrand_free_jobs",
        "gauge",
        "Of the first 10,000 free jobs: those of the most frequent handler types."
    );
    each_type(backlog, [&](const persistence::FreeJobs& type, const std::string& labels) {
        text.value(static_cast<double>(type.jobs), labels);
    });
    text.begin(
        "jobstrand_free_jobs_oldest_seconds",
        "gauge",
        "For how long the oldest of these could have run."
    );
    each_type(backlog, [&](const persistence::FreeJobs& type, const std::string& labels) {
        if (type.since) {
            const auto waited = std::max(backlog.seen - *type.since, schema::Duration{0});
            text.value(seconds_of(waited), labels);
        }
    });
}

void write_waiting(MetricsText& text, const BacklogCounts& backlog) {
    text.begin(
        "jobstrand_timers_due", "gauge", "Timers that are due within some minutes, or overdue."
    );
    for (std::size_t i = 0; i < Backlog::kAhead.size(); ++i) {
        text.value(
            static_cast<double>(backlog.timers_due.at(i)),
            fmt::format("within=\"{}m\"", Backlog::kAhead.at(i).count())
        );
    }
    text.begin(
        "jobstrand_waiting_jobs", "gauge", "Executable jobs that wait until others have ended."
    );
    text.value(static_cast<double>(backlog.waiting_jobs.exclusive), "reason=\"exclusive\"");
    text.value(static_cast<double>(backlog.waiting_jobs.limited), "reason=\"limit\"");
}

void write_dead_letters(MetricsText& text, const deadletter::CauseSummary& causes) {
    text.gauge(
        "jobstrand_dead_letter_groups",
        static_cast<double>(causes.groups.size()),
        "Causes of the latest 2,000 dead letters."
    );
    text.begin(
        "jobstrand_dead_letter_group_jobs",
        "gauge",
        "How many of these have the most frequent causes; dead groups says which they are."
    );
    for (std::size_t i = 0; i < std::min(causes.groups.size(), kGroupsTold); ++i) {
        const deadletter::CauseGroup& group = causes.groups[i];
        text.value(
            static_cast<double>(group.jobs),
            label("group", group.id) + ',' + label("type", group.cause.handler_type) + ',' +
                label("class", group.cause.error_class)
        );
    }
}

/// Calls `write` for each symptom that was answered, with its labels.
void each_symptom(const BacklogCounts& backlog, const auto& write) {
    for (const persistence::ToldSymptom& told : backlog.symptoms) {
        const bool is_number = !told.symptom.unit.empty();
        if (is_number && told.answer.error.empty() && !told.answer.is_blind) {
            write(told, label("name", told.symptom.name) + ',' + label("unit", told.symptom.unit));
        }
    }
}

void write_symptoms(MetricsText& text, const BacklogCounts& backlog) {
    text.begin(
        "jobstrand_database_symptom",
        "gauge",
        "What the database tells of itself, as doctor asks it; not there: this user may not see it."
    );
    each_symptom(backlog, [&](const persistence::ToldSymptom& told, const std::string& labels) {
        text.value(static_cast<double>(told.answer.number.value_or(0)), labels);
    });
    text.begin(
        "jobstrand_database_symptom_limit", "gauge", "Beyond this, doctor finds something wrong."
    );
    each_symptom(backlog, [&](const persistence::ToldSymptom& told, const std::string& labels) {
        text.value(static_cast<double>(told.symptom.most), labels);
    });
}

}  // namespace

void write_backlog(MetricsText& text, const BacklogCounts& backlog) {
    write_places(text, backlog);
    write_types(text, backlog);
    write_waiting(text, backlog);
    write_dead_letters(text, backlog.dead_letters);
    write_symptoms(text, backlog);
}

}  // namespace jobstrand::service
