#include "tools/operations/job/job_explaining.hpp"

#include "deadletter/explanation.hpp"
#include "tools/operations/job/explained_reasons.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/records/facts_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::cli {

using deadletter::JobFacts;
using deadletter::NodeView;
using deadletter::ReasonCode;

namespace {

/// A reason as a person reads it.
struct ReasonWords {
    deadletter::ReasonCode code;
    std::string text;
    std::string advice;  ///< What to do; empty: nothing.
};

struct Teller {
    ReasonCode code;
    Words (*tell)(const Telling&);
};

constexpr std::array kTellers{
    Teller{ReasonCode::not_found, describe_not_found},
    Teller{ReasonCode::dead_letter, describe_dead_letter},
    Teller{ReasonCode::running, describe_running},
    Teller{ReasonCode::behind_sibling, describe_exclusive},
    Teller{ReasonCode::held, describe_held},
    Teller{ReasonCode::held_by_worker, describe_held_by_worker},
    Teller{ReasonCode::suspended, describe_suspended},
    Teller{ReasonCode::not_due, describe_not_due},
    Teller{ReasonCode::dead_node, describe_dead_node},
    Teller{ReasonCode::lock_over, describe_lock_over},
    Teller{ReasonCode::no_node, describe_no_node},
    Teller{ReasonCode::paused, describe_paused},
    Teller{ReasonCode::no_handler, describe_no_handler},
    Teller{ReasonCode::lacks_need, describe_lacks_need},
    Teller{ReasonCode::out_of_scope, describe_out_of_scope},
    Teller{ReasonCode::exclusive, describe_exclusive},
    Teller{ReasonCode::limit, describe_limit},
    Teller{ReasonCode::external_worker, describe_external_worker},
    Teller{ReasonCode::workers_busy, describe_workers_busy},
    Teller{ReasonCode::overdue_timer, describe_overdue_timer},
    Teller{ReasonCode::free, describe_free_job},
};

/// The reasons why the job does not run, in their order. Texts of apps in them are not escaped.
[[nodiscard]] std::vector<ReasonWords> reasons_in_words(const JobFacts& facts) {
    const NodeView nodes = deadletter::nodes_seen_from(facts);
    const Telling telling{.facts = facts, .nodes = nodes};
    std::vector<ReasonWords> reasons;
    for (const ReasonCode code : deadletter::explain(facts)) {
        auto [text, advice] = std::ranges::find(kTellers, code, &Teller::code)->tell(telling);
        reasons.push_back({code, std::move(text), std::move(advice)});
    }
    return reasons;
}

[[nodiscard]] RecordField reasons_field(const std::vector<ReasonWords>& reasons) {
    std::vector<std::string> objects;
    std::vector<std::string> texts;
    for (const ReasonWords& reason : reasons) {
        objects.push_back(json_of(Record{
            text_field("code", name_of(reason.code)),
            text_field("text", reason.text),
            text_or_null_field("advice", reason.advice),
        }));
        texts.push_back(reason.text);
    }
    return {
        .name = "reasons",
        .json = fmt::format("[{}]", fmt::join(objects, ",")),
        .text = fmt::format("{}", fmt::join(texts, "; ")),
    };
}

[[nodiscard]] Record record_of(const JobFacts& facts, const std::vector<ReasonWords>& reasons) {
    const ReasonWords& first = reasons.front();
    const Record known = facts_of(facts);
    return {
        text_field("id", facts.id),
        text_field("code", name_of(first.code)),
        text_field("text", first.text),
        text_or_null_field("advice", first.advice),
        reasons_field(reasons),
        {.name = "facts", .json = json_of(known), .text = json_of(known)},
    };
}

/// The job in some words, so that a person sees that it is the one that was meant.
[[nodiscard]] std::string title_of(const JobFacts& facts) {
    if (!facts.placed) {
        return fmt::format("job {}", quoted_if_needed(facts.id));
    }
    return fmt::format(
        "job {} ({}, {})",
        quoted_if_needed(facts.id),
        quoted_if_needed(facts.placed->job.handler_type),
        name_of(facts.placed->place)
    );
}

void write_for_people(
    std::ostream& out,
    const JobFacts& facts,
    const std::vector<ReasonWords>& reasons
) {
    out << title_of(facts) << '\n';
    const char* lead = "";
    for (const ReasonWords& reason : reasons) {
        out << lead << printable(reason.text) << '\n';
        if (!reason.advice.empty()) {
            out << "  -> " << printable(reason.advice) << '\n';
        }
        lead = "also: ";
    }
}

}  // namespace

ExitCode explain_job(Session& session, const ExplainOptions& options) {
    const std::string id = job_id(session, options.id);
    const JobFacts facts = session.explaining().facts_of(id, [&](const schema::Job& job) {
        return session.engine().handlers().need_of(job);
    });
    const std::vector<ReasonWords> reasons = reasons_in_words(facts);
    if (session.format() == OutputFormat::table) {
        write_for_people(session.streams().out, facts, reasons);
    } else {
        write_record(
            session.streams().out, session.format(), record_of(facts, reasons), session.style()
        );
    }
    if (!facts.placed) {
        session.tell("there is no job {}", quoted_if_needed(id));
    }
    return facts.placed ? ExitCode::done : ExitCode::not_found;
}

}  // namespace jobstrand::cli
