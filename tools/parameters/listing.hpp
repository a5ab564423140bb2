#pragma once

#include "deadletter/job_search.hpp"
#include "schema/job.hpp"
#include "schema/job_fields.hpp"
#include "schema/paging.hpp"
#include "tools/parameters/field_options.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// Says how a list goes on behind the item of this key.
void print_more(Session& session, std::string_view last);

/// Writes a part of a list in the chosen format.
template <typename Item, typename RecordOf>
void write_items(
    Session& session,
    const std::vector<Item>& items,
    const std::vector<TableColumn>& columns,
    const RecordOf& record_of
) {
    OutputStyle style = session.style();
    if (style.columns) {
        style.now = session.database_now();
    }
    RecordWriter writer(session.streams().out, session.format(), columns, style);
    for (const Item& item : items) {
        writer.add(record_of(item));
    }
    writer.finish();
}

/// The same. When there is more, stderr says how to go on: behind the key of the last item.
template <typename Item, typename RecordOf, typename KeyOf>
void write_page(
    Session& session,
    const schema::Page<Item>& page,
    const std::vector<TableColumn>& columns,
    const RecordOf& record_of,
    const KeyOf& key_of
) {
    write_items(session, page.items, columns, record_of);
    if (page.has_more) {
        print_more(session, std::invoke(key_of, page.items.back()));
    }
}

/// What lists of jobs may be sorted by, as --sort and `sort` name it; nullopt: not by that.
[[nodiscard]] std::optional<schema::JobMember> sort_named(std::string_view word);

/// `id, due, created, priority, retries, type or failed`.
[[nodiscard]] std::string sort_names();

/// How a sorted list goes on behind a job, whatever becomes of the job meanwhile: `VALUE,ID`, or
/// the id alone where that is what it is sorted by.
[[nodiscard]] std::string mark_behind(const schema::Job& job, const schema::JobMember& by);

/// The inverse: a job of which only that is set. nullopt: no list has said so.
[[nodiscard]] std::optional<schema::Job>
job_marked(std::string_view mark, const schema::JobMember& by);

struct ListOptions {
    JobFilterOptions filter;
    std::string limit = "100";
    std::string after;
};

struct JobListOptions : ListOptions {
    std::string place = "executable";  ///< A place, or `all`.
    std::optional<std::string> sort;   ///< A word of sort_named().
    bool descending = false;
    std::optional<std::string> skip;  ///< Instead of `after`.
};

/// `ls`: jobs in id order, or those of one place in another one. When there are more, stderr says
/// how to go on.
[[nodiscard]] ExitCode list_jobs(Session& session, const JobListOptions& options);

/// Writes jobs in the chosen format, and how to go on when there are more.
void write_jobs(Session& session, const schema::Page<schema::PlacedJob>& jobs);

/// Says of a page that has ended before its time, in the order of a field, how the list goes on.
void print_rest(Session& session, const deadletter::JobPage& page, const schema::JobMember& by);

/// A place by its word; throws CliError wrong_usage.
[[nodiscard]] schema::JobPlace place_of(const std::string& word);

}  // namespace jobstrand::cli
