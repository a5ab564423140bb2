#include "test/ledger/check_ledger.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <unordered_map>
#include <utility>

namespace jobstrand::test {

namespace {

/// SQLite knows the time to the millisecond, and the ledger's triggers round it once more.
constexpr std::chrono::milliseconds kDatabaseTick{2};

/// A worker may stand still between its last look at the lock and its first line, and goes on from
/// there: so long after a freeze or the end of a lease, what it does still belongs to it.
constexpr std::chrono::seconds kThaw{2};

bool is_frozen_in(const Stretch& freeze, Instant from, Instant until) {
    return freeze.from <= until && (freeze.until == Instant::max() || freeze.until + kThaw >= from);
}

/// All that is known of one job, in the order of its tokens.
struct Story {
    std::vector<const Run*> runs = {};
    std::vector<const AcceptedEnd*> ends = {};
    std::vector<std::int64_t> effects = {};
    bool is_transactional = false;

    [[nodiscard]] const Run* run_of(std::int64_t token) const {
        const auto found = std::ranges::find(runs, token, &Run::token);
        return found == runs.end() ? nullptr : *found;
    }
    [[nodiscard]] bool is_accepted(const Run& run) const {
        return std::ranges::find(ends, run.token, &AcceptedEnd::token) != ends.end();
    }
    /// A transactional handler that was done has failed all the same when its commit did: then the
    /// job leaves to wait, without a retry used.
    [[nodiscard]] bool has_succeeded(const Run& run) const {
        return !run.failed && (!is_transactional || std::ranges::count(effects, run.token) > 0);
    }
};
using Stories = std::unordered_map<std::string_view, Story>;

Stories stories_of(const Ledger& ledger) {
    Stories stories;
    for (const Run& run : ledger.runs) {
        stories[run.job].runs.push_back(&run);
    }
    for (const AcceptedEnd& end : ledger.ends) {
        stories[end.job].ends.push_back(&end);
    }
    for (const Effect& effect : ledger.effects) {
        stories[effect.job].effects.push_back(effect.token);
    }
    for (const std::string& job : ledger.transactional) {
        stories[job].is_transactional = true;
    }
    for (auto& [job, story] : stories) {
        std::ranges::sort(story.runs, {}, &Run::token);
        std::ranges::sort(story.ends, {}, &AcceptedEnd::token);
    }
    return stories;
}

/// For whoever has to find out what happened.
std::string describe(std::string_view job, const Story& story) {
    std::string text = fmt::format("{}:", job);
    for (const Run* const run : story.runs) {
        text += fmt::format(
            " token {} on node {} from {} to {}{};",
            run->token,
            run->node,
            run->began.time_since_epoch().count(),
            run->ended ? run->ended->time_since_epoch().count() : 0,
            run->failed ? " failed" : ""
        );
    }
    for (const AcceptedEnd* const end : story.ends) {
        text += fmt::format(" end of {} at {};", end->token, end->at.time_since_epoch().count());
    }
    return text;
}

std::string describe(std::size_t node, const NodeOutcome& outcome) {
    std::string text = fmt::format(" node {}:", node);
    for (const Stretch& freeze : outcome.frozen) {
        text += fmt::format(
            " frozen from {} to {};",
            freeze.from.time_since_epoch().count(),
            freeze.until.time_since_epoch().count()
        );
    }
    for (const Instant declared_dead : outcome.declared_dead) {
        text += fmt::format(" declared_dead at {};", declared_dead.time_since_epoch().count());
    }
    if (outcome.died) {
        text += fmt::format(" died at {};", outcome.died->time_since_epoch().count());
    }
    return text;
}

std::string describe_outcomes(const Ledger& ledger) {
    std::string text;
    for (std::size_t node = 0; node < ledger.nodes.size(); ++node) {
        text += describe(node, ledger.nodes[node]);
    }
    for (const Stretch& outage : ledger.outages) {
        text += fmt::format(
            " outage from {} to {};",
            outage.from.time_since_epoch().count(),
            outage.until.time_since_epoch().count()
        );
    }
    return text;
}

/// Ends that the database took, against the runs that reached them. Returns how many succeeded.
int check_ends(std::string_view job, const Story& story, Findings& findings) {
    int successes = 0;
    for (const AcceptedEnd* const end : story.ends) {
        const Run* const run = story.run_of(end->token);
        if (run == nullptr) {
            continue;  // Given back before it began; if it was not, the job will be missed.
        }
        if (!run->ended || *run->ended > end->at + kDatabaseTick) {
            findings.stale.push_back(describe(job, story));
        } else if (story.has_succeeded(*run)) {
            ++successes;
        }
    }
    return successes;
}

void check_attempts(std::string_view job, const Story& story, Findings& findings) {
    int failures = 0;
    for (const Run* const run : story.runs) {
        if (run->attempt > failures + 1) {
            findings.retries_used.push_back(
                fmt::format("{}: attempt {} after {} failures", job, run->attempt, failures)
            );
        }
        failures += run->failed && story.is_accepted(*run) ? 1 : 0;
    }
}

bool is_explained(const Ledger& ledger, const Run& former, const Run& next) {
    const auto meets = [&](const Stretch& fault) {
        return fault.from <= next.began && fault.until >= former.began;
    };
    const NodeOutcome& outcome = ledger.nodes[former.node];
    const auto meets_instant = [&](Instant at) { return meets({.from = at, .until = at}); };
    const auto meets_end_of_lease = [&](Instant at) {
        return meets({.from = at, .until = at + kThaw});
    };
    const auto freezes = [&](const Stretch& freeze) {
        return is_frozen_in(freeze, former.began, next.began);
    };
    return (outcome.died && meets_instant(*outcome.died)) ||
           std::ranges::any_of(outcome.frozen, freezes) ||
           std::ranges::any_of(outcome.declared_dead, meets_end_of_lease) ||
           std::ranges::any_of(ledger.outages, meets);
}

/// The transaction of a handler has waited for a row that a frozen process had locked, until the
/// database refused it: then the job leaves to wait.
bool has_waited_for_frozen(
    const Ledger& ledger,
    const Story& story,
    const Run& former,
    const Run& next
) {
    return story.is_transactional && story.is_accepted(former) &&
           std::ranges::any_of(ledger.nodes, [&](const NodeOutcome& outcome) {
               return std::ranges::any_of(outcome.frozen, [&](const Stretch& freeze) {
                   return is_frozen_in(freeze, former.began, next.began);
               });
           });
}

/// The database has refused the transaction of a handler, a deadlock for one: the same run begins
/// again, under the same lock.
bool is_begun_anew(const Story& story, const Run& former, const Run& next) {
    return story.is_transactional && next.token == former.token && next.node == former.node;
}

void check_repeats(
    const Ledger& ledger,
    std::string_view job,
    const Story& story,
    Findings& findings
) {
    for (std::size_t i = 1; i < story.runs.size(); ++i) {
        const Run& former = *story.runs[i - 1];
        if (former.failed && story.is_accepted(former)) {
            continue;
        }
        if (is_begun_anew(story, former, *story.runs[i])) {
            ++findings.begun_anew;
            continue;
        }
        ++findings.repeats;
        const Run& next = *story.runs[i];
        if (!is_explained(ledger, former, next) &&
            !has_waited_for_frozen(ledger, story, former, next)) {
            findings.unexplained.push_back(describe(job, story) + describe_outcomes(ledger));
        }
    }
}

void check_effects(std::string_view job, const Story& story, Findings& findings) {
    const bool is_once = story.effects.size() == 1 && !story.ends.empty() &&
                         story.effects.front() == story.ends.back()->token;
    if (!is_once) {
        findings.effects.push_back(fmt::format("{}: {} effects", job, story.effects.size()));
    }
}

/// Until when a run counts. One whose end the database took has held its lock all the time.
Instant end_of(const Ledger& ledger, const Run& run, bool is_accepted) {
    const NodeOutcome& outcome = ledger.nodes[run.node];
    const Instant end = run.ended ? *run.ended : outcome.died.value_or(Instant::max());
    if (is_accepted) {
        return end;
    }
    const auto freeze = std::ranges::find_if(outcome.frozen, [&](const Stretch& one) {
        return is_frozen_in(one, run.began, end);
    });
    return freeze == outcome.frozen.end() ? end : std::max(freeze->from, run.began);
}

void check_overlaps(const Ledger& ledger, const Stories& stories, Findings& findings) {
    std::map<std::string_view, std::vector<std::pair<const Run*, Instant>>> instances;
    for (const Run& run : ledger.runs) {
        if (!run.instance.empty()) {
            const bool is_accepted = stories.at(run.job).is_accepted(run);
            instances[run.instance].emplace_back(&run, end_of(ledger, run, is_accepted));
        }
    }
    for (auto& [instance, runs] : instances) {
        std::ranges::sort(runs, {}, [](const auto& run) { return run.first->began; });
        const auto* last = &runs.front();
        for (const auto& run : std::span(runs).subspan(1)) {
            if (run.first->began < last->second) {
                findings.overlaps.push_back(fmt::format(
                    "{}: {} token {} and {} token {}",
                    instance,
                    last->first->job,
                    last->first->token,
                    run.first->job,
                    run.first->token
                ));
            }
            last = run.second > last->second ? &run : last;
        }
    }
}

/// Goes through the begins in their order, with the ends of those that run.
void check_limit(const Ledger& ledger, const Stories& stories, Findings& findings) {
    std::vector<std::pair<const Run*, Instant>> runs;
    for (const std::string& job : ledger.limited) {
        const Story& story = stories.at(job);
        for (const Run* const run : story.runs) {
            runs.emplace_back(run, end_of(ledger, *run, story.is_accepted(*run)));
        }
    }
    std::ranges::sort(runs, {}, [](const auto& run) { return run.first->began; });
    std::multiset<Instant> ends;
    for (const auto& [run, end] : runs) {
        ends.erase(ends.begin(), ends.upper_bound(run->began));
        ends.insert(end);
        findings.most_limited = std::max(findings.most_limited, ends.size());
        if (ends.size() > kMostLimited) {
            findings.over_limit.push_back(
                fmt::format("{} token {} as number {}", run->job, run->token, ends.size())
            );
        }
    }
}

std::size_t count_ended_leases_of_living(const NodeOutcome& outcome) {
    return static_cast<std::size_t>(std::ranges::count_if(outcome.declared_dead, [&](Instant at) {
        const bool is_dead = outcome.died && *outcome.died <= at;
        return !is_dead && std::ranges::none_of(outcome.frozen, [&](const Stretch& freeze) {
            return freeze.from <= at && at <= freeze.until;
        });
    }));
}

}  // namespace

bool Findings::are_none() const {
    return lost.empty() && done_twice.empty() && stale.empty() && overlaps.empty() &&
           over_limit.empty() && retries_used.empty() && unexplained.empty() && effects.empty();
}

Findings check(const Ledger& ledger) {
    Stories stories = stories_of(ledger);
    Findings findings{.runs = ledger.runs.size()};
    for (const std::string& job : ledger.jobs) {
        const Story& story = stories[job];
        const int successes = check_ends(job, story, findings);
        if (successes == 0) {
            findings.lost.push_back(describe(job, story));
        } else if (successes > 1) {
            findings.done_twice.push_back(describe(job, story));
        }
        check_attempts(job, story, findings);
        check_repeats(ledger, job, story, findings);
    }
    for (const std::string& job : ledger.transactional) {
        check_effects(job, stories[job], findings);
    }
    check_overlaps(ledger, stories, findings);
    check_limit(ledger, stories, findings);
    for (const NodeOutcome& outcome : ledger.nodes) {
        findings.ended_leases += outcome.declared_dead.size();
        findings.ended_leases_of_living += count_ended_leases_of_living(outcome);
    }
    return findings;
}

}  // namespace jobstrand::test
