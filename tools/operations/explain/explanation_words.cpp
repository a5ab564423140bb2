#include "tools/operations/explain/explanation_words.hpp"

#include "tools/operations/explain/job_reasons.hpp"
#include "tools/operations/explain/node_reasons.hpp"
#include "tools/operations/explain/waiting_reasons.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace jobstrand::cli {

namespace {

using deadletter::JobFacts;
using deadletter::NodeView;
using deadletter::ReasonCode;

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

}  // namespace

std::vector<ReasonWords> in_words(const JobFacts& facts) {
    const NodeView nodes = deadletter::nodes_seen_from(facts);
    const Telling telling{.facts = facts, .nodes = nodes};
    std::vector<ReasonWords> reasons;
    for (const ReasonCode code : deadletter::explain(facts)) {
        auto [text, advice] = std::ranges::find(kTellers, code, &Teller::code)->tell(telling);
        reasons.push_back({code, std::move(text), std::move(advice)});
    }
    return reasons;
}

}  // namespace jobstrand::cli
