#pragma once

#include "deadletter/bulk_change.hpp"
#include "schema/paging.hpp"
#include "tools/access/access_rights.hpp"
#include "tools/output/fields.hpp"
#include "tools/parameters/bulk_changes.hpp"
#include "tools/parameters/listing.hpp"
#include "tools/parameters/parameter.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <cstddef>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

/// The table of operations: an entry says all that the command line, HTTP, the description of the
/// API, completion, the manual and the audit need to know of one, and what it does.
namespace jobstrand::cli {

struct OperationText {
    std::string words;     ///< `limit set`: how it is typed.
    std::string summary;   ///< A sentence.
    std::string examples;  ///< One per line, indented by two.

    /// Who may have a service run it. What takes an administrator is audited.
    service::Role role = service::Role::admin;

    /// No service runs it: it is for the machine that it runs on.
    bool is_local = false;

    /// `PUT /api/v1/limits/{limit}`: its arguments stand in the braces, in their order. The other
    /// parameters are in the query of GET and DELETE, and in the body of PUT and POST.
    std::string path = {};

    /// It tells of and changes only jobs that the scope of a client's token leaves: all that it
    /// knows of jobs is from Session::store() and what is made of it. Others refuse narrow tokens.
    bool honours_scope = false;
};

/// What an operation shows when it is done.
struct DescribedResult {
    enum class Kind {
        record,
        list,
        page,   ///< A list, with where to go on.
        items,  ///< What became of each thing that was named.
    };
    Kind kind = Kind::record;
    std::vector<DescribedField> fields = {};
    std::vector<DescribedField> other_fields = {};  ///< What else it may be a list of.

    /// What it is where nothing was named, and the operation was about all that matches; empty: the
    /// same.
    std::vector<DescribedField> of_all = {};
};

/// The texts of each parameter in the order of the table; none: it was not given. A flag that was
/// given has one, which is of no meaning.
struct GivenTexts {
    std::vector<std::vector<std::string>> texts;
    std::vector<std::string> labels;  ///< What their giver calls them.
};

struct Operation {
    OperationText text;
    std::vector<Parameter> parameters;
    DescribedResult result;
    std::function<ExitCode(Session&, const GivenTexts&)> run;
};

/// The parameters that stand in the braces of the path, by their indexes.
[[nodiscard]] std::vector<std::size_t> in_path(const Operation& operation);

/// The others that a client of a service can give; files are of this machine.
[[nodiscard]] std::vector<std::size_t> beside_path(const Operation& operation);

/// `field` and `answer`: what became of each thing that was named.
[[nodiscard]] DescribedResult described_items(std::string_view field);

/// The same of jobs; of all that match how many were `done` and how many `left`, or the batch that
/// does it.
[[nodiscard]] DescribedResult described_change(std::string_view done, std::string_view left);

/// Operations that are about one thing.
struct OperationNoun {
    std::string name = {};  ///< Empty: they are verbs without a noun.
    std::string summary = {};
    std::string examples = {};
    std::vector<Operation> operations = {};
};

/// Of operations without parameters.
struct NoParameters {};

struct PageRequest {
    std::size_t limit = 100;
    std::string after;  ///< The key of what the page is behind; empty: it is the first one.
};

/// --zone of operations whose Values have a `zone`: that in which they show times.
inline constexpr const char* kShownZone = "The zone in which times are shown, by IANA name [UTC]";

/// --soon of operations that read whole places; see deadletter::kRowsSoon.
inline constexpr const char* kSoon =
    "Look at no more than 20,000 jobs of a place, and say so where there are more";

/// --all, --dry-run, --yes.
[[nodiscard]] Parameters<BulkFlags> bulk_parameters();

/// Ids of jobs, --all, --dry-run, --yes, and filters.
[[nodiscard]] Parameters<BulkOptions> bulk_job_parameters();

/// --limit and --after, which are read where they are used, and filters.
[[nodiscard]] Parameters<ListOptions> job_list_parameters();

/// --background, of operations that can be batches.
[[nodiscard]] Parameters<BulkOptions> background_parameter();

/// --limit, --after.
[[nodiscard]] Parameters<PageRequest> page_parameters();

/// Of operations that list what a filter leaves, page by page.
template <typename Filter>
struct Listing {
    Filter filter;
    PageRequest page;
};
template <typename Filter>
[[nodiscard]] Parameters<Listing<Filter>> listing_parameters(const Parameters<Filter>& filter) {
    return joined(
        of_part(filter, &Listing<Filter>::filter),
        of_part(page_parameters(), &Listing<Filter>::page)
    );
}

/// Of operations that forget what is old.
struct RemovalBound {
    schema::TimePoint before{};
};
[[nodiscard]] Parameters<RemovalBound> removal_parameters();

struct RemovedCount {
    std::int64_t removed = 0;
};
[[nodiscard]] const Fields<RemovedCount>& removed_fields();

/// For the audit too.
[[nodiscard]] RemovedCount counted(Session& session, std::int64_t removed);

/// Reads the parameters that were given into Values, in the order of their table.
void read_parameters(
    const std::vector<Parameter>& parameters,
    const GivenTexts& given,
    Session& session,
    void* values
);

// How results are written, in the format that the session was asked for.
void write_result(Session& session, const Record& record);
void write_result(
    Session& session,
    const std::vector<Record>& records,
    const std::vector<TableColumn>& columns
);

template <typename T>
void write_list(
    Session& session,
    const Fields<T>& fields,
    const std::vector<T>& items,
    const timers::Zone& zone = timers::Zone::utc()
) {
    std::vector<Record> records;
    records.reserve(items.size());
    for (const T& item : items) {
        records.push_back(record_of(fields, item, zone));
    }
    write_result(session, records, columns_of(fields));
}

namespace operation_parts {

/// In which times are shown.
template <typename Values>
[[nodiscard]] const timers::Zone& zone_of(const Values& values) {
    if constexpr (requires { values.zone; }) {
        return values.zone;
    } else {
        static const timers::Zone utc = timers::Zone::utc();
        return utc;
    }
}

template <typename Values, typename Run>
[[nodiscard]] Operation operation(
    OperationText text,
    const Parameters<Values>& parameters,
    DescribedResult result,
    Run run
) {
    std::vector<Parameter> all = untyped(parameters);
    return {
        .text = std::move(text),
        .parameters = all,
        .result = std::move(result),
        .run = [all, run = std::move(run)](Session& session, const GivenTexts& given) -> ExitCode {
            // Defended catch: what the rules below refuse is a mistake of whoever gave it.
            try {
                Values values{};
                read_parameters(all, given, session, &values);
                return run(session, values);
            } catch (const std::invalid_argument& mistake) {
                throw CliError(ExitCode::wrong_usage, mistake.what());
            }
        },
    };
}

}  // namespace operation_parts

/// One that writes its result itself.
template <typename Values>
[[nodiscard]] Operation writing_operation(
    OperationText text,
    const Parameters<Values>& parameters,
    DescribedResult result,
    ExitCode (*run)(Session&, const Values&)
) {
    return operation_parts::operation<Values>(std::move(text), parameters, std::move(result), run);
}

/// The same, for the machine that it runs on; it changes no jobs.
template <typename Values>
[[nodiscard]] Operation local_operation(
    OperationText text,
    const Parameters<Values>& parameters,
    ExitCode (*run)(Session&, const Values&)
) {
    text.role = service::Role::read;
    text.is_local = true;
    return writing_operation(std::move(text), parameters, {}, run);
}

/// One that shows a record.
template <typename Values, typename T>
[[nodiscard]] Operation record_operation(
    OperationText text,
    const Parameters<Values>& parameters,
    const Fields<T>& fields,
    T (*run)(Session&, const Values&)
) {
    return operation_parts::operation<Values>(
        std::move(text),
        parameters,
        {DescribedResult::Kind::record, described(fields)},
        [&fields, run](Session& session, const Values& values) {
            write_result(
                session, record_of(fields, run(session, values), operation_parts::zone_of(values))
            );
            return ExitCode::done;
        }
    );
}

/// One that shows a list, as long as it is.
template <typename Values, typename T>
[[nodiscard]] Operation list_operation(
    OperationText text,
    const Parameters<Values>& parameters,
    const Fields<T>& fields,
    std::vector<T> (*run)(Session&, const Values&)
) {
    return operation_parts::operation<Values>(
        std::move(text),
        parameters,
        {DescribedResult::Kind::list, described(fields)},
        [&fields, run](Session& session, const Values& values) {
            write_list(session, fields, run(session, values), operation_parts::zone_of(values));
            return ExitCode::done;
        }
    );
}

/// One that shows a part of a list. The first field is what --after names.
template <typename Values, typename T>
[[nodiscard]] Operation page_operation(
    OperationText text,
    const Parameters<Values>& parameters,
    const Fields<T>& fields,
    schema::Page<T> (*run)(Session&, const Values&)
) {
    return operation_parts::operation<Values>(
        std::move(text),
        parameters,
        {DescribedResult::Kind::page, described(fields)},
        [&fields, run](Session& session, const Values& values) {
            const schema::Page<T> page = run(session, values);
            write_list(session, fields, page.items, operation_parts::zone_of(values));
            if (page.has_more) {
                print_more(session, record_of(fields, page.items.back()).front().text);
            }
            return ExitCode::done;
        }
    );
}

/// One that does something about each thing that was named.
template <typename Values>
[[nodiscard]] Operation items_operation(
    OperationText text,
    const Parameters<Values>& parameters,
    ItemWords words,
    void (*run)(Session&, const Values&, const deadletter::BulkWatch&)
) {
    const std::string_view field = words.field;
    return operation_parts::operation<Values>(
        std::move(text),
        parameters,
        described_items(field),
        [words = std::move(words), run](Session& session, const Values& values) {
            ItemReport report(session, words);
            run(session, values, report.watch());
            return report.finish();
        }
    );
}

}  // namespace jobstrand::cli
