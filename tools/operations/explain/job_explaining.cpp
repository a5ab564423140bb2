#include "tools/operations/explain/job_explaining.hpp"

#include "deadletter/explain/explanation.hpp"
#include "tools/operations/explain/explanation_words.hpp"
#include "tools/parameters/typed_ids.hpp"
#include "tools/records/facts_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace jobstrand::cli {

namespace {

using deadletter::JobFacts;

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
    const std::vector<ReasonWords> reasons = in_words(facts);
    if (session.format() == OutputFormat::table) {
        write_for_people(session.streams().out, facts, reasons);
    } else {
        write_record(
            session.streams().out, session.format(), record_of(facts, reasons), session.style()
        );
    }
    if (!facts.placed) {
        session.tell(fmt::format("there is no job {}", quoted_if_needed(id)));
    }
    return facts.placed ? ExitCode::done : ExitCode::not_found;
}

}  // namespace jobstrand::cli
