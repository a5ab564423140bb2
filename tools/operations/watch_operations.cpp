#include "tools/operations/doctor/doctor.hpp"
#include "tools/operations/doctor/finding.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/operations/top/overview_frame.hpp"
#include "tools/operations/top/top.hpp"

namespace jobstrand::cli {

OperationNoun top_verb() {
    return {
        .operations = {writing_operation<TopOptions>(
            {.words = "top",
             .summary = "Show what goes on, again and again: rates, places, nodes, the slowest "
                        "types (q ends)",
             .examples = "  jobstrand top\n"
                         "  jobstrand top --interval 10s\n"
                         "  jobstrand top --once -o json | jq .runsLastMinute",
             .role = service::Role::read,
             .path = "GET /api/v1/top"},
            {{"--once", &TopOptions::once, "Show it one time, and end", {.is_for_terminal = true}},
             {"--interval",
              &TopOptions::interval,
              "How often (default 2s)",
              {.unit = "DURATION", .is_for_terminal = true, .may_be_empty = true}},
             {"--soon", &TopOptions::soon, kSoon}},
            {.kind = DescribedResult::Kind::record, .fields = described_overview()},
            show_top
        )}};
}

OperationNoun doctor_verb() {
    return {
        .operations = {writing_operation<DoctorOptions>(
            {.words = "doctor",
             .summary = "Look whether database, nodes and jobs are healthy, and say what to do "
                        "(exit code 6 if anything is wrong)",
             .examples = "  jobstrand doctor\n"
                         "  jobstrand doctor -o json | jq '.[] | select(.level == \"wrong\")'",
             .role = service::Role::read,
             .path = "GET /api/v1/doctor"},
            {},
            {DescribedResult::Kind::list, described(finding_fields())},
            diagnose
        )}};
}

}  // namespace jobstrand::cli
