#include "persistence/rows/job_row.hpp"

#include "persistence/rows/readable_columns.hpp"
#include "persistence/shared/engine_columns.hpp"
#include "persistence/sql/dialect.hpp"
#include "schema/limits.hpp"
#include "schema/text/utf8.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace jobstrand::persistence {

namespace {

using schema::Job;
using schema::JobPlace;

/// Without a tenant Flowable stores '', the default of the column, and asks for it.
constexpr std::string_view kEmptyText = "''";

struct Layout {
    std::vector<RowField> fields;
    std::vector<std::string_view> names;
    std::vector<std::string_view> with_default;
    std::string columns;
    std::string selected_beside_engine;
};

void append_to_list(std::string& list, std::string_view one) {
    list += list.empty() ? "" : ", ";
    list += one;
}

// A short list of its own for each place: whole fields have texts that no row needs, and would be
// read from memory with every row.
Layout layout_of(JobPlace place) {
    Layout layout;
    for (const schema::JobField& field : schema::job_fields()) {
        if (field.is_in(place)) {
            append_to_list(layout.columns, field.column.name);
            append_to_list(
                layout.selected_beside_engine, expression_in_shared_tables(field.column.name)
            );
            layout.fields.push_back({
                .column = field.column.name,
                .member = field.member,
                .is_null_when_empty =
                    field.column.default_value != kEmptyText && !field.column.required,
            });
            layout.names.push_back(field.column.name);
            if (!field.column.default_value.empty()) {
                layout.with_default.push_back(field.column.name);
            }
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

/// Integers are counted up: REV_ with every change, and it must not overflow. A job that begins a
/// way has to have a long one before it; on its way, it is read until shortly before the end.
constexpr std::int64_t kMostAtFirst = kMostToCount;
constexpr std::int64_t kMostOnTheWay = std::numeric_limits<int>::max() - 1000;

/// Reads one column into a job that still has its defaults: a visitor for the kinds of members.
struct ReadColumn {
    const Row& row;
    std::size_t column;
    Job& job;
    std::int64_t most;  ///< Of an integer that is counted up.

    void operator()(std::string Job::*member) const {
        const std::string_view text = row.text(column);
        if (text.empty()) {
            (job.*member).clear();  // Most of a row, and much cheaper than to assign it.
        } else {
            (job.*member).assign(text);
        }
    }
    void operator()(int Job::*member) const {
        if (!row.is_null(column)) {
            job.*member = static_cast<int>(require_countable(row.integer(column), most));
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

void complain(Job& job, const std::string& complaint) {
    const std::string before = std::exchange(job.exception_message, {});
    job.exception_message = schema::first_characters(
        before.empty() ? complaint : fmt::format("{}; {}", complaint, before),
        schema::limits::kExceptionMessageLength
    );
}

/// `job` has the values of a new one. Returns whether all columns could be read.
bool read_into(Job& job, const Row& row, JobPlace place, std::int64_t most) {
    if (place == JobPlace::dead_letter) {
        job.retries = 0;
    }
    const std::vector<RowField>& fields = known_layout_of(place).fields;
    const std::string complaint = read_columns(fields, [&](std::size_t column) {
        std::visit(ReadColumn{row, column, job, most}, fields[column].member);
    });
    if (complaint.empty()) {
        return true;
    }
    complain(job, complaint);
    return false;
}

}  // namespace

std::span<const RowField> fields_of(JobPlace place) {
    return known_layout_of(place).fields;
}

NewRows new_rows_of(JobPlace place) {
    const Layout& layout = known_layout_of(place);
    return {
        .table = schema::table_of(place),
        .columns = layout.names,
        .with_default = layout.with_default,
    };
}

std::string_view columns_of(JobPlace place) {
    return known_layout_of(place).columns;
}

std::string_view selected_of(JobPlace place, const Dialect& dialect) {
    const Layout& layout = known_layout_of(place);
    return dialect.has_engine ? layout.selected_beside_engine : layout.columns;
}

void append_row(std::vector<Value>& values, JobPlace place, const Job& job) {
    for (const RowField& field : fields_of(place)) {
        values.push_back(std::visit(ValueOf{job, field.is_null_when_empty}, field.member));
    }
}

Job read_job(const Row& row, JobPlace place) {
    Job job;
    (void)read_into(job, row, place, kMostOnTheWay);
    return job;
}

RowReader append_to(std::vector<Job>& jobs, JobPlace place) {
    // In place: to move a job is to move two dozen texts.
    return [&jobs, place](const Row& row) {
        (void)read_into(jobs.emplace_back(), row, place, kMostOnTheWay);
    };
}

RowReader append_to(JobRows& rows, JobPlace place) {
    return [&rows, place](const Row& row) {
        const bool is_bytes = row.is_bytes(0);
        Job& job = rows.jobs.emplace_back();
        const bool is_readable = read_into(job, row, place, kMostAtFirst);
        const bool has_name = !is_bytes && !job.id.empty();  // Not asked of the row a second time.
        if (is_readable && has_name) {
            return;
        }
        rows.is_any_nameless = rows.is_any_nameless || !has_name;
        if (has_name) {
            rows.unreadable.push_back(std::move(job));
        }
        rows.jobs.pop_back();
    };
}

bool is_nameless(const Row& row) {
    return row.is_bytes(0) || row.text(0).empty();
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

void sort_by_id(std::vector<Job>& jobs) {
    std::vector<Job*> order;
    order.reserve(jobs.size());
    for (Job& job : jobs) {
        order.push_back(&job);
    }
    std::ranges::sort(order, {}, &Job::id);
    std::vector<Job> sorted;
    sorted.reserve(jobs.size());
    for (Job* const job : order) {
        sorted.push_back(std::move(*job));
    }
    jobs = std::move(sorted);
}

}  // namespace jobstrand::persistence
