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

const Fields<Finding>& finding_fields() {
    static const Fields<Finding> all{
        {.name = "check", .value = &Finding::check, .meaning = "What was looked at"},
        {.name = "level",
         .value = [](const Finding& finding) { return std::string(name_of(finding.level)); },
         .meaning = "ok; note: good to know; unknown: this user may not look; wrong"},
        {.name = "text", .value = &Finding::text, .meaning = "What was found"},
        {.name = "advice",
         .value = &Finding::advice,
         .meaning = "What to do",
         .is_null_if_empty = true},
    };
    return all;
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
