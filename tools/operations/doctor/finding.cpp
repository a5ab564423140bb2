#include "tools/operations/doctor/finding.hpp"

#include "persistence/sql/db_error.hpp"

namespace jobstrand::cli {

std::string_view name_of(FindingLevel level) {
    switch (level) {
        case FindingLevel::ok:
            return "ok";
        case FindingLevel::note:
            return "note";
        case FindingLevel::unknown:
            return "unknown";
        case FindingLevel::wrong:
            return "wrong";
    }
    return {};
}

Record record_of(const Finding& finding) {
    return {
        text_field("check", finding.check),
        text_field("level", name_of(finding.level)),
        text_field("text", finding.text),
        text_or_null_field("advice", finding.advice),
    };
}

void look_at(
    std::string_view check,
    Findings& findings,
    const std::function<void(Findings&)>& look
) {
    // Defended catch: what one look meets must not hide what the others find.
    try {
        look(findings);
    } catch (const persistence::DbError& error) {
        const bool may_not = error.kind() == persistence::DbErrorKind::access_denied;
        findings.push_back(
            {.check = std::string(check),
             .level = may_not ? FindingLevel::unknown : FindingLevel::wrong,
             .text = error.what()}
        );
    }
}

}  // namespace jobstrand::cli
