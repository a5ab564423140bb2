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
    Teller{ReasonCode::not_found, tell_not_found},
    Teller{ReasonCode::dead_letter, tell_dead_letter},
    Teller{ReasonCode::running, tell_running},
    Teller{ReasonCode::behind_sibling, tell_exclusive},
    Teller{ReasonCode::held, tell_held},
    Teller{ReasonCode::held_by_worker, tell_held_by_worker},
    Teller{ReasonCode::suspended, tell_suspended},
    Teller{ReasonCode::not_due, tell_not_due},
    Teller{ReasonCode::dead_node, tell_dead_node},
    Teller{ReasonCode::lock_over, tell_lock_over},
    Teller{ReasonCode::no_node, tell_no_node},
    Teller{ReasonCode::paused, tell_paused},
    Teller{ReasonCode::no_handler, tell_no_handler},
    Teller{ReasonCode::lacks_need, tell_lacks_need},
    Teller{ReasonCode::out_of_scope, tell_out_of_scope},
    Teller{ReasonCode::exclusive, tell_exclusive},
    Teller{ReasonCode::limit, tell_limit},
    Teller{ReasonCode::external_worker, tell_external_worker},
    Teller{ReasonCode::workers_busy, tell_workers_busy},
    Teller{ReasonCode::overdue_timer, tell_overdue_timer},
    Teller{ReasonCode::free, tell_free_job},
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
