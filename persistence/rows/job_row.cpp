#include "persistence/rows/job_row.hpp"

#include "schema/limits.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

/// Without a tenant Flowable stores '', the default of the column, and asks for it.
constexpr std::string_view kEmptyText = "''";

struct Layout {
    std::vector<RowField> fields;
    std::string columns;
};

// A short list of its own for each place: whole fields have texts that no row needs, and would be
// read from memory with every row.
Layout layout_of(JobPlace place) {
    Layout layout;
    for (const schema::JobField& field : schema::job_fields()) {
        if (field.is_in(place)) {
            layout.columns += layout.fields.empty() ? "" : ", ";
            layout.columns += field.column.name;
            layout.fields.push_back({
                .column = field.column.name,
                .member = field.member,
                .is_null_when_empty = field.column.default_value != kEmptyText,
            });
        }
    }
    return layout;
}

const Layout& known_layout_of(JobPlace place) {
    static const std::array layouts{
        layout_of(JobPlace::executable),
        layout_of(JobPlace::timer),
        layout_of(JobPlace::suspended),
        layout_of(JobPlace::dead_letter),
        layout_of(JobPlace::external_worker),
    };
    return layouts.at(static_cast<std::size_t>(place));
}

/// One value of a row: a visitor for the kinds of members.
struct ValueOf {
    const Job& job;
    bool is_null_when_empty;

    Value operator()(std::string Job::*member) const {
        if (member == &Job::payload && is_stored_apart(job)) {
            return {};
        }
        return is_null_when_empty ? text_or_null(job.*member)
                                  : Value{std::string_view(job.*member)};
    }
    Value operator()(int Job::*member) const { return std::int64_t{job.*member}; }
    Value operator()(std::int64_t Job::*member) const { return job.*member; }
    Value operator()(bool Job::*member) const { return job.*member; }
    Value operator()(std::optional<schema::TimePoint> Job::*member) const {
        return time_or_null(job.*member);
    }
};

/// Reads one column into a job that still has its defaults: a visitor for the kinds of members.
struct ReadColumn {
    const Row& row;
    std::size_t column;
    Job& job;

    void operator()(std::string Job::*member) const { (job.*member).assign(row.text(column)); }
    void operator()(int Job::*member) const {
        if (!row.is_null(column)) {
            job.*member = static_cast<int>(row.integer(column));
        }
    }
    void operator()(std::int64_t Job::*member) const {
        if (!row.is_null(column)) {
            job.*member = row.integer(column);
        }
    }
    void operator()(bool Job::*member) const {
        if (!row.is_null(column)) {
            job.*member = row.boolean(column);
        }
    }
    void operator()(std::optional<schema::TimePoint> Job::*member) const {
        job.*member = row.time(column);
    }
};

/// `job` has the values of a new one.
void read_into(Job& job, const Row& row, JobPlace place) {
    if (place == JobPlace::dead_letter) {
        job.retries = 0;
    }
    std::size_t column = 0;
    for (const RowField& field : known_layout_of(place).fields) {
        std::visit(ReadColumn{row, column++, job}, field.member);
    }
}

}  // namespace

std::span<const RowField> fields_of(JobPlace place) {
    return known_layout_of(place).fields;
}

std::string_view columns_of(JobPlace place) {
    return known_layout_of(place).columns;
}

void append_row(std::vector<Value>& values, JobPlace place, const Job& job) {
    for (const RowField& field : fields_of(place)) {
        values.push_back(std::visit(ValueOf{job, field.is_null_when_empty}, field.member));
    }
}

Job read_job(const Row& row, JobPlace place) {
    Job job;
    read_into(job, row, place);
    return job;
}

RowReader append_to(std::vector<Job>& jobs, JobPlace place) {
    // In place: to move a job is to move two dozen texts.
    return [&jobs, place](const Row& row) { read_into(jobs.emplace_back(), row, place); };
}

bool is_stored_apart(const Job& job) {
    return !job.custom_values_id.empty() && is_too_long_for_row(job.payload);
}

bool is_too_long_for_row(std::string_view payload) {
    // A text with no more bytes than that cannot have more characters.
    if (payload.size() <= schema::limits::kInlinePayloadLength) {
        return false;
    }
    const auto characters = std::count_if(payload.begin(), payload.end(), [](char byte) {
        return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
    });
    return static_cast<std::size_t>(characters) > schema::limits::kInlinePayloadLength;
}

}  // namespace jobstrand::persistence
