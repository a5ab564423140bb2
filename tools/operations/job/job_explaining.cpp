#include "tools/operations/job/job_explaining.hpp"

#include "deadletter/explanation.hpp"
#include "schema/acquisition.hpp"
#include "schema/text/time_text.hpp"
#include "tools/operations/job/job_showing.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/records/facts_json.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::cli {

using deadletter::JobFacts;
using deadletter::LimitUse;
using deadletter::NodeView;
using deadletter::ReasonCode;
using persistence::Node;
using schema::Job;
using schema::JobPlace;

namespace {

/// A reason in words.
struct Words {
    std::string text;
    std::string advice = {};
};

/// The facts, as those who tell of them ask.
struct Telling {
    const deadletter::JobFacts& facts;
    const deadletter::NodeView& nodes;

    /// Precondition for all that is about a job: there is one.
    [[nodiscard]] const schema::Job& job() const { return facts.placed->job; }

    /// For a shell.
    [[nodiscard]] std::string id() const { return quoted_if_needed(facts.id); }

    /// `2026-11-20T10:15:30.123Z (in 3 min)`.
    [[nodiscard]] std::string when(const std::optional<schema::TimePoint>& time) const {
        return time ? fmt::format(
                          "{} ({})", schema::format_instant(*time), relative_time(*time, facts.now)
                      )
                    : "an unknown time";
    }
    [[nodiscard]] std::string lock_end() const { return when(job().lock_expiration); }
};

constexpr std::string_view kFreedSoon =
    "a living node frees it at its next look for such locks (resetExpiredJobsInterval, 10 s)";

/// Names that are told of a list.
constexpr std::size_t kNamesTold = 8;

/// `a, b and 3 more`.
[[nodiscard]] std::string list_of(const std::vector<std::string>& names) {
    const std::size_t told = std::min(names.size(), kNamesTold);
    const std::vector<std::string> first(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(told)
    );
    return names.size() > told
               ? fmt::format("{} and {} more", fmt::join(first, ", "), names.size() - told)
               : fmt::format("{}", fmt::join(first, ", "));
}

/// `web-1, process 4711`, or the name that was configured.
[[nodiscard]] std::string holder_name(const std::string& lock_owner) {
    const auto address = schema::node_of(lock_owner);
    return address ? fmt::format("{}, process {}", address->host, address->process)
                   : quoted_if_needed(lock_owner);
}

[[nodiscard]] std::vector<std::string> names_of(const deadletter::NodeView::List& nodes) {
    std::vector<std::string> names;
    for (const persistence::Node* node : nodes) {
        names.push_back(quoted_if_needed(node->identity.node));
    }
    return names;
}

[[nodiscard]] std::string ready_nodes(const Telling& t) {
    return counted(std::ssize(t.nodes.idle), "living node takes", "living nodes take") +
           " it, with idle workers";
}

[[nodiscard]] Words describe_not_found(const Telling& t) {
    if (t.facts.is_a_series) {
        return {
            "the job has run: it was the first turn of the series of this name",
            fmt::format("jobstrand series show {} tells the next turn", t.id())};
    }
    return {
        "there is no such job: it has been done (a job that succeeds leaves no row), was removed, "
        "or its transaction was never committed",
        "jobstrand audit ls tells who has removed jobs"};
}

[[nodiscard]] Words describe_dead_letter(const Telling& t) {
    const Job& job = t.job();
    const std::string since =
        job.failed_time ? " since " + t.when(*job.failed_time) : std::string();
    const std::string cause =
        job.exception_message.empty() ? "it does not say why" : job.exception_message;
    Words words{
        fmt::format("it is a dead letter{}: {}", since, cause),
        fmt::format(
            "mend the cause (jobstrand dead show {0} has the details), then jobstrand dead requeue "
            "{0}",
            t.id()
        )};
    if (!t.facts.key_holder.empty()) {
        words.advice += fmt::format(
            "; job {} has its unique key now, and has to end first",
            quoted_if_needed(t.facts.key_holder)
        );
    }
    return words;
}

[[nodiscard]] Words describe_running(const Telling& t) {
    return {
        fmt::format(
            "it runs on {} since {}; its lock lasts until {}, and is renewed",
            holder_name(t.job().lock_owner),
            t.when(t.facts.running_since),
            t.lock_end()
        ),
        fmt::format("to take it away: jobstrand job cancel {} --reason TEXT", t.id())};
}

[[nodiscard]] Words describe_held(const Telling& t) {
    const Node& node = *t.nodes.owner;
    return {
        fmt::format(
            "{} has it: it waits there in the queue, or has just started ({} of {} workers run)",
            holder_name(t.job().lock_owner),
            node.load.running,
            node.load.workers
        ),
        "ask again in some seconds: a node tells of a run when it has lasted a third of its lease"};
}

[[nodiscard]] Words describe_held_by_worker(const Telling& t) {
    return {
        fmt::format(
            "the external worker {} has it until {}",
            quoted_if_needed(t.job().lock_owner),
            t.lock_end()
        ),
        "if it has not ended the job by then, the next worker that asks gets it"};
}

[[nodiscard]] Words describe_suspended(const Telling& t) {
    if (t.facts.suspended_by.empty()) {
        return {
            "it is suspended, by nobody that these tables know: another engine may have done it",
            "activate it there"};
    }
    std::vector<std::string> causes;
    std::vector<std::string> ends;
    for (const persistence::Suspension& suspension : t.facts.suspended_by) {
        causes.push_back(in_words(suspension));
        ends.push_back(end_of(suspension));
    }
    return {fmt::format("{}", fmt::join(causes, "; ")), fmt::format("{}", fmt::join(ends, "; "))};
}

[[nodiscard]] Words describe_not_due(const Telling& t) {
    const Job& job = t.job();
    std::string text = fmt::format("it is not due before {}", t.when(job.due_date));
    if (job.attempts > 0) {
        text = fmt::format(
            "its next attempt is due at {}; attempt {} failed: {}",
            t.when(job.due_date),
            job.attempts,
            job.exception_message.empty() ? "it did not say why" : job.exception_message
        );
    }
    const bool is_timer = t.facts.placed->place == JobPlace::timer;
    return {
        std::move(text),
        is_timer ? fmt::format("to run it now: jobstrand timer fire {}", t.id()) : std::string()};
}

[[nodiscard]] Words describe_external_worker(const Telling& t) {
    return {
        fmt::format(
            "it waits for an external worker that asks for {}",
            quoted_if_needed(t.job().handler_type)
        ),
        "start a worker for it, or see its log; no node runs such jobs"};
}

[[nodiscard]] Words describe_workers_busy(const Telling& t) {
    std::size_t workers = 0;
    for (const Node* node : t.nodes.in_scope) {
        workers += node->load.workers;
    }
    return {
        fmt::format(
            "all {} workers of the {} it are busy, as they last told",
            workers,
            counted(std::ssize(t.nodes.in_scope), "node that takes", "nodes that take")
        ),
        "it runs when one is free; more nodes, or a higher maxPoolSize, make that sooner"};
}

[[nodiscard]] Words describe_overdue_timer(const Telling& t) {
    return {
        fmt::format(
            "it is due since {}; nodes fetch due timers as they have room, the earliest first",
            t.when(t.job().due_date)
        ),
        t.nodes.idle.empty() ? "" : ready_nodes(t) + ": it runs soon"};
}

[[nodiscard]] Words describe_free_job(const Telling& t) {
    return {"nothing is in its way: a node takes it at its next look", ready_nodes(t)};
}

[[nodiscard]] std::string use_of(const LimitUse& use, const Telling& t) {
    const schema::LimitedGroup& group = use.group;
    std::vector<std::string> parts;
    const std::int64_t running = deadletter::running_of(use);
    if (group.concurrent) {
        parts.push_back(fmt::format("{} of {} jobs run", running, *group.concurrent));
    }
    if (group.per_node) {
        std::vector<std::string> nodes;
        for (const auto& [owner, count] : use.runs.running) {
            nodes.push_back(fmt::format("{} on {}", count, holder_name(owner)));
        }
        parts.push_back(fmt::format(
            "at most {} run on a node{}{}",
            *group.per_node,
            nodes.empty() ? "" : ": ",
            list_of(nodes)
        ));
    }
    if (group.rate && schema::starts_left(*group.rate, use.runs.used_until, t.facts.now) == 0) {
        parts.push_back(fmt::format(
            "the rate {} is used up until {}",
            schema::text_of(*group.rate),
            t.when(
                t.facts.now +
                schema::until_next_starts(*group.rate, use.runs.used_until, t.facts.now)
            )
        ));
    }
    return fmt::format("{} ({})", quoted_if_needed(group.name), fmt::join(parts, "; "));
}

[[nodiscard]] Words describe_exclusive(const Telling& t) {
    const auto& group = t.facts.group;
    if (!group || group->lock_owner.empty()) {
        return {
            fmt::format(
                "it waits for its instance{}, which nobody holds any more",
                group ? " " + quoted_if_needed(group->group) : std::string()
            ),
            "a node takes it at its next look"};
    }
    const std::string instance = quoted_if_needed(group->group);
    const std::string holder = holder_name(group->lock_owner);
    const bool is_over = group->until.value_or(t.facts.now) < t.facts.now;
    const std::string end =
        is_over ? fmt::format("; that hold ended at {}: {}", t.when(group->until), kFreedSoon)
                : std::string();
    if (group->siblings.empty()) {
        return {
            fmt::format(
                "its instance {} is held by {}, one job at a time{}", instance, holder, end
            ),
            fmt::format("to see its jobs: jobstrand job ls --instance {} --locked", instance)};
    }
    const persistence::HeldSibling& first = group->siblings.front();
    const std::string since = first.since ? " since " + t.when(*first.since) : std::string();
    return {
        fmt::format(
            "an exclusive job of the same instance {}, {}, {} {}{}{}",
            instance,
            quoted_if_needed(first.id),
            first.since ? "runs on" : "is held by",
            holder,
            since,
            end
        ),
        fmt::format(
            "wait for it, or take it away: jobstrand job cancel {} --reason TEXT",
            quoted_if_needed(first.id)
        )};
}

[[nodiscard]] Words describe_limit(const Telling& t) {
    std::vector<std::string> full;
    for (const LimitUse* use : deadletter::full_limits(t.facts, t.nodes)) {
        full.push_back(use_of(*use, t));
    }
    if (full.empty()) {
        return {
            "it waits for a limit, which has room for it now",
            "a node looks for such jobs once a second"};
    }
    return {
        fmt::format("no room within the limit {}", fmt::join(full, ", ")),
        "wait, or raise it: jobstrand limit ls, jobstrand limit set NAME --concurrent N"};
}

/// When a lock ends whose holder is gone.
[[nodiscard]] std::string end_of_lock(const Telling& t) {
    if (t.nodes.living.empty()) {
        return "no node lives that could free it";
    }
    const bool is_over = t.job().lock_expiration.value_or(t.facts.now) <= t.facts.now;
    if (is_over) {
        return fmt::format("its lock ended at {}: {}", t.lock_end(), kFreedSoon);
    }
    if (t.nodes.owner != nullptr) {
        return "another node is about to end that lease and to free the job";
    }
    return fmt::format("its lock ends at {}: then {}", t.lock_end(), kFreedSoon);
}

/// The setting that makes nodes leave such jobs to others.
[[nodiscard]] std::string_view setting_of_passive(const Telling& t) {
    return t.facts.placed->place == JobPlace::timer ? "timerJobAcquisitionEnabled"
                                                    : "asyncJobAcquisitionEnabled";
}

/// Those of which nobody knows what they serve, and those that leave it to others.
[[nodiscard]] std::string and_paused(const Telling& t) {
    std::string paused;
    if (!t.nodes.drained.empty()) {
        paused +=
            fmt::format("; drained, and perhaps able to: {}", list_of(names_of(t.nodes.drained)));
    }
    if (!t.nodes.passive.empty()) {
        paused += fmt::format(
            "; with {} = false: {}", setting_of_passive(t), list_of(names_of(t.nodes.passive))
        );
    }
    return paused;
}

[[nodiscard]] std::string value_of(const std::string& value) {
    return value.empty() ? "none" : quoted_if_needed(value);
}

/// What a node is limited to, as far as that leaves the job out.
[[nodiscard]] std::string scope_in_the_way(const Node& node, const Job& job) {
    std::vector<std::string> parts;
    const schema::ServedScope& scope = node.scope;
    if (!schema::contains_priority(scope, job.priority)) {
        const bool is_above = job.priority > scope.priority_max;
        parts.push_back(fmt::format(
            "priorities {} {} (its own is {})",
            is_above ? "up to" : "from",
            is_above ? scope.priority_max : scope.priority_min,
            job.priority
        ));
    }
    constexpr std::array<std::string_view, 3> kWords{"category", "tenant", "definition"};
    for (std::size_t i = 0; i < kWords.size(); ++i) {
        const schema::ScopeList& list = schema::kScopeLists.at(i);
        const std::vector<std::string>& taken = scope.*list.values;
        if (!taken.empty() && std::ranges::count(taken, job.*list.field) == 0) {
            std::vector<std::string> values;
            std::ranges::transform(taken, std::back_inserter(values), value_of);
            parts.push_back(fmt::format(
                "{} {} (its own is {})", kWords.at(i), list_of(values), value_of(job.*list.field)
            ));
        }
    }
    return fmt::format(
        "{} takes only {}", quoted_if_needed(node.identity.node), fmt::join(parts, ", ")
    );
}

[[nodiscard]] Words describe_dead_node(const Telling& t) {
    const std::string who =
        t.nodes.owner != nullptr
            ? fmt::format(
                  "{} has it, whose lease ended at {}: it has died, or hangs",
                  holder_name(t.job().lock_owner),
                  t.when(t.nodes.owner->lease_until)
              )
            : fmt::format(
                  "{} has it, and no living node has that name: it has died, or is none of "
                  "Jobstrand's",
                  holder_name(t.job().lock_owner)
              );
    return {
        fmt::format("{}; {}", who, end_of_lock(t)),
        t.nodes.living.empty() ? "start a node: jobstrand serve" : ""};
}

[[nodiscard]] Words describe_lock_over(const Telling& t) {
    if (t.facts.placed->place == JobPlace::external_worker) {
        return {
            fmt::format(
                "the lock of the external worker {} ended at {}: the next worker that asks for {} "
                "gets it",
                quoted_if_needed(t.job().lock_owner),
                t.lock_end(),
                quoted_if_needed(t.job().handler_type)
            ),
            ""};
    }
    return {
        fmt::format(
            "{} lives, but has not renewed the job's lock, which ended at {}: {}",
            holder_name(t.job().lock_owner),
            t.lock_end(),
            kFreedSoon
        ),
        "if that goes on, see the log of that node"};
}

[[nodiscard]] Words describe_no_node(const Telling& t) {
    const std::string last = t.facts.nodes.empty()
                                 ? std::string()
                                 : fmt::format(
                                       "; the lease of {} ended at {}",
                                       quoted_if_needed(t.facts.nodes.back().identity.node),
                                       t.when(t.facts.nodes.back().lease_until)
                                   );
    return {"no node lives that could take it" + last, "start one: jobstrand serve"};
}

[[nodiscard]] Words describe_paused(const Telling& t) {
    std::vector<std::string> why;
    std::vector<std::string> advice;
    if (!t.nodes.drained.empty()) {
        why.push_back(fmt::format("drained: {}", list_of(names_of(t.nodes.drained))));
        advice.push_back(
            fmt::format("jobstrand node resume {}", fmt::join(names_of(t.nodes.drained), " "))
        );
    }
    if (!t.nodes.passive.empty()) {
        const std::string_view setting = setting_of_passive(t);
        why.push_back(
            fmt::format("with {} = false: {}", setting, list_of(names_of(t.nodes.passive)))
        );
        advice.push_back(fmt::format("start a node with {} = true", setting));
    }
    return {
        fmt::format(
            "none of the {} living nodes takes it; {}", t.nodes.living.size(), fmt::join(why, "; ")
        ),
        fmt::format("{}", fmt::join(advice, "; or "))};
}

[[nodiscard]] Words describe_no_handler(const Telling& t) {
    std::set<std::string> types;
    for (const Node* node : t.nodes.living) {
        types.insert(node->handler_types.begin(), node->handler_types.end());
    }
    const std::size_t taking =
        t.nodes.living.size() - t.nodes.drained.size() - t.nodes.passive.size();
    return {
        fmt::format(
            "none of the {} living nodes that take jobs has a handler of the type {}; they have "
            "{}{}",
            taking,
            quoted_if_needed(t.job().handler_type),
            types.empty() ? "none" : list_of({types.begin(), types.end()}),
            and_paused(t)
        ),
        fmt::format(
            "start a service or an app that has one; a misspelt job: jobstrand job rm {}", t.id()
        )};
}

[[nodiscard]] Words describe_lacks_need(const Telling& t) {
    return {
        fmt::format(
            "it needs {}, which none of the {} living nodes that serve {} has{}",
            t.facts.needs,
            t.nodes.with_type.size(),
            quoted_if_needed(t.job().handler_type),
            and_paused(t)
        ),
        fmt::format(
            "add {} to the configuration file of a service, and send it SIGHUP", t.facts.needs
        )};
}

[[nodiscard]] Words describe_out_of_scope(const Telling& t) {
    std::vector<std::string> nodes;
    for (const Node* node : t.nodes.with_needs) {
        nodes.push_back(scope_in_the_way(*node, t.job()));
    }
    return {
        fmt::format(
            "all living nodes that serve {} are limited to other jobs: {}{}",
            quoted_if_needed(t.job().handler_type),
            list_of(nodes),
            and_paused(t)
        ),
        "start a node without that limit, or change it (priorityRangeMin, priorityRangeMax, "
        "enabledJobCategories, enabledTenants, enabledDefinitions); or the job: jobstrand job set"};
}

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
    std::vector<Record> records;
    std::vector<std::string> texts;
    for (const ReasonWords& reason : reasons) {
        records.push_back({
            text_field("code", name_of(reason.code)),
            text_field("text", reason.text),
            text_or_null_field("advice", reason.advice),
        });
        texts.push_back(reason.text);
    }
    return records_field("reasons", records, fmt::format("{}", fmt::join(texts, "; ")));
}

[[nodiscard]] Record
explanation_record(const JobFacts& facts, const std::vector<ReasonWords>& reasons) {
    const ReasonWords& first = reasons.front();
    return {
        text_field("id", facts.id),
        text_field("code", name_of(first.code)),
        text_field("text", first.text),
        text_or_null_field("advice", first.advice),
        reasons_field(reasons),
        record_field("facts", facts_of(facts)),
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

ExitCode explain_job(Session& session, const NamedThing& named) {
    const std::string id = job_id(session, named.name);
    const JobFacts facts = session.explaining().facts_of(id, [&](const schema::Job& job) {
        return session.engine().handlers().need_of(job);
    });
    const std::vector<ReasonWords> reasons = reasons_in_words(facts);
    if (session.format() == OutputFormat::table) {
        write_for_people(session.streams().out, facts, reasons);
    } else {
        write_record(
            session.streams().out,
            session.format(),
            explanation_record(facts, reasons),
            session.style()
        );
    }
    if (!facts.placed) {
        session.tell("there is no job {}", quoted_if_needed(id));
    }
    return facts.placed ? ExitCode::done : ExitCode::not_found;
}

}  // namespace jobstrand::cli
