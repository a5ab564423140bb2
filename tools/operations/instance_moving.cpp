#include "deadletter/instance_move.hpp"
#include "schema/uuid7.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/output/progress.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/settings/settings_file.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>
#include <jobstrand/engine_of.hpp>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using deadletter::MovedInstance;
using deadletter::MoveEnd;

struct InstanceMoving {
    std::vector<std::string> ids;
    BulkFlags bulk;
    std::string to;
    std::optional<schema::Duration> patience;
};

/// An instance, and the engine that it is to go to.
struct PlannedMove {
    std::string id;
    std::string to;
};

[[nodiscard]] Parameters<InstanceMoving> moving_parameters() {
    return joined(
        Parameters<InstanceMoving>{
            {"ids", &InstanceMoving::ids, "Their ids; - reads them from stdin", {.unit = "ID"}}},
        of_part(bulk_parameters(), &InstanceMoving::bulk),
        Parameters<InstanceMoving>{
            {"--to",
             &InstanceMoving::to,
             "The engine [where spreadOver says that each belongs]",
             {.unit = "NAME"}},
            {"--wait",
             &InstanceMoving::patience,
             "How long running jobs of an instance may take to end [1m]",
             {.unit = "DURATION"}}}
    );
}

const std::vector<TableColumn>& moved_instance_columns() {
    static const std::vector<TableColumn> columns{
        {.field = "id", .heading = "ID", .width_max = 64},
        {.field = "engine", .heading = "ENGINE", .width_max = 64},
        {.field = "moved", .heading = "JOBS MOVED", .is_optional = true},
    };
    return columns;
}

/// Where each of the instances belongs; those that are there already are left out.
class Rule final {
public:
    Rule(Session& session, const InstanceMoving& wanted)
        : here_(session.engine_name()), to_(wanted.to), names_(session.settings().spread_over) {
        if (to_ == here_) {
            throw WrongUsage("--to names the engine that the instances are in");
        }
        if (to_.empty() && names_.empty()) {
            throw WrongUsage(
                "say where they go: --to ENGINE (the configuration file has no spreadOver)"
            );
        }
    }

    /// nullopt: it belongs where it is.
    [[nodiscard]] std::optional<PlannedMove> plan(const std::string& instance) const {
        std::string to = to_.empty() ? jobstrand::engine_of(instance, names_) : to_;
        return to == here_ ? std::nullopt : std::optional(PlannedMove{instance, std::move(to)});
    }

    /// Says where new jobs of a moved instance are stored, if that is elsewhere.
    void tell_of_new_jobs(Session& session, const PlannedMove& move) const {
        if (names_.empty()) {
            return;
        }
        if (const std::string next = jobstrand::engine_of(move.id, names_); next != move.to) {
            session.tell(
                "new jobs of instance {} are stored in {} all the same, by spreadOver",
                quoted_if_needed(move.id),
                quoted_if_needed(next)
            );
        }
    }

private:
    const std::string here_;
    const std::string to_;
    const std::vector<std::string> names_;
};

/// Each page of them reads all jobs.
constexpr std::size_t kInstancesAtOnce = 10'000;

[[nodiscard]] std::vector<PlannedMove> plan_of_all(Session& session, const Rule& rule) {
    std::vector<PlannedMove> moves;
    deadletter::ScopeQuery query{
        .scope = persistence::SuspensionScope::instance, .limit = kInstancesAtOnce};
    while (true) {
        const auto page = session.search().scopes(query);
        for (const persistence::ScopeSummary& instance : page.items) {
            if (auto move = rule.plan(instance.id)) {
                moves.push_back(*std::move(move));
            }
        }
        if (!page.has_more) {
            return moves;
        }
        query.after = page.items.back().id;
    }
}

[[nodiscard]] std::vector<PlannedMove>
plan_of(Session& session, const InstanceMoving& wanted, const Rule& rule) {
    if (wanted.bulk.all) {
        return plan_of_all(session, rule);
    }
    std::vector<PlannedMove> moves;
    std::set<std::string_view> seen;
    for (const std::string& id : wanted.ids) {
        (void)app_id_of("the id", id);
        if (!seen.insert(id).second) {
            continue;
        }
        if (auto move = rule.plan(id)) {
            moves.push_back(*std::move(move));
        } else {
            session.tell(
                "jobstrand: instance {} belongs where it is, by spreadOver", quoted_if_needed(id)
            );
        }
    }
    return moves;
}

/// Names of engines do not tell whether they have one database: to move from it to itself would
/// delete what is moved. A lock that is held in one is not free in it.
[[nodiscard]] bool are_one_database(engine::Wiring& one, engine::Wiring& other) {
    schema::Uuid7Source ids;
    const std::string name = ids.next(schema::SystemClock().now());
    const persistence::NamedLockClaim ours{name, "instance move", std::chrono::minutes(1)};
    const persistence::NamedLockClaim theirs{name, "the same", std::chrono::minutes(1)};
    (void)one.named_lock_store().acquire(ours, one.clock().now());
    const auto lock = other.named_lock_store().acquire(theirs, other.clock().now());
    (void)other.named_lock_store().release(name, theirs.owner, other.clock().now());
    (void)one.named_lock_store().release(name, ours.owner, one.clock().now());
    return lock.owner != theirs.owner;
}

/// The engines that instances go to.
class Targets final {
public:
    /// Engines that are away are left for at() to tell.
    Targets(Session& session, const std::vector<PlannedMove>& moves) : session_(session) {
        for (const PlannedMove& move : moves) {
            if (!targets_.contains(move.to) && !failures_.contains(move.to)) {
                open(move.to);
            }
        }
    }

    /// Throws DbError.
    [[nodiscard]] engine::Wiring& at(const std::string& name) {
        if (const auto failed = failures_.find(name); failed != failures_.end()) {
            throw failed->second;
        }
        return *targets_.at(name);
    }

private:
    void open(const std::string& name) {
        const Settings settings = session_.settings_of(name);
        EngineSurroundings around = session_.surroundings();
        around.engine_name = name;
        // Defended catch: one that is away keeps no other.
        try {
            auto target =
                open_engine(url_with_password_source(settings), settings, OpenFor::command, around);
            require_two_databases(name, *target);
            targets_.emplace(name, std::move(target));
        } catch (const persistence::DbError& error) {
            failures_.emplace(name, error);
        }
    }

    void require_two_databases(const std::string& name, engine::Wiring& target) {
        if (are_one_database(session_.engine(), target)) {
            throw Refused(
                "engines {} and {} have the same database",
                quoted_if_needed(session_.engine_name()),
                quoted_if_needed(name)
            );
        }
    }

    Session& session_;
    std::map<std::string, std::unique_ptr<engine::Wiring>> targets_;
    std::map<std::string, persistence::DbError> failures_;
};

/// `until` of a key that is held for a period.
[[nodiscard]] std::string when_key_is_free(const MovedInstance& moved) {
    return moved.until ? "is over, at " + schema::format_instant(*moved.until) : "has ended";
}

[[nodiscard]] std::string why_not_moved(const PlannedMove& move, const MovedInstance& moved) {
    const std::string id = quoted_if_needed(move.id);
    const std::string to = quoted_if_needed(move.to);
    const std::string what = quoted_if_needed(moved.what);
    switch (moved.end) {
        case MoveEnd::done:
            break;
        case MoveEnd::not_found:
            return fmt::format("instance {} has no jobs here", id);
        case MoveEnd::still_runs:
            return fmt::format(
                "jobs of instance {} still run: try again, with a longer --wait", id
            );
        case MoveEnd::busy:
            return fmt::format("others change the jobs of instance {} meanwhile: try again", id);
        case MoveEnd::of_engine:
            return fmt::format(
                "instance {} is one of Flowable's, whose engine keeps executions and tasks with it "
                "in that database",
                id
            );
        case MoveEnd::of_series:
            return fmt::format(
                "instance {} has a job of series {}, which stays in its engine: `jobstrand series "
                "end {}`, move the instance, and start the series there",
                id,
                what,
                what
            );
        case MoveEnd::key_held:
            return fmt::format(
                "instance {} has a job with the unique key {}, as job {} of engine {} has: try "
                "again when that {}",
                id,
                what,
                quoted_if_needed(moved.holder),
                to,
                when_key_is_free(moved)
            );
        case MoveEnd::id_taken:
            return fmt::format(
                "instance {} has a job {}, and engine {} another one of this id: try again when "
                "one of them has ended, or remove one",
                id,
                what,
                to
            );
        case MoveEnd::differs:
            return fmt::format(
                "job {} of instance {} stands in both engines, and was changed in both: remove one "
                "of them (`jobstrand job rm`), and try again",
                what,
                id
            );
        case MoveEnd::not_storable:
            return fmt::format("instance {} cannot be stored in engine {}: {}", id, to, moved.what);
        case MoveEnd::moved_by_another:
            return fmt::format(
                "another program moves instance {} ({} has the lock): try again when it is done",
                id,
                quoted_if_needed(moved.holder)
            );
        case MoveEnd::goes_elsewhere:
            return fmt::format(
                "a move of instance {} {} was interrupted: complete that first", id, moved.what
            );
    }
    return {};
}

[[nodiscard]] ExitCode show_plan(Session& session, const std::vector<PlannedMove>& moves) {
    session.tell("{} instances would be moved; nothing was", moves.size());
    RecordWriter writer(
        session.streams().out, session.format(), moved_instance_columns(), session.style()
    );
    for (std::size_t i = 0; i < std::min(moves.size(), kDryRunSample); ++i) {
        writer.add({text_field("id", moves[i].id), text_field("engine", moves[i].to)});
    }
    writer.finish();
    return ExitCode::done;
}

/// What became of all of them.
struct MovingTally {
    std::int64_t done = 0;
    std::int64_t not_found = 0;
    std::int64_t refused = 0;
    std::int64_t failed = 0;

    [[nodiscard]] ExitCode exit_code() const {
        if (done > 0 || not_found + refused + failed == 0) {
            return code_of(done, not_found + refused + failed);
        }
        return failed > 0    ? ExitCode::failed
               : refused > 0 ? ExitCode::refused
                             : ExitCode::not_found;
    }
};

class Moving final {
public:
    Moving(Session& session, const InstanceMoving& wanted, const Rule& rule, Targets& targets)
        : session_(session),
          rule_(rule),
          targets_(targets),
          progress_(session.streams(), session.clock(), "moved"),
          writer_(
              session.streams().out,
              session.format(),
              moved_instance_columns(),
              session.style()
          ) {
        rules_.patience = wanted.patience.value_or(rules_.patience);
        rules_.on_moved = [this](std::int64_t jobs) { progress_.show(jobs_ + jobs); };
    }

    void move(const PlannedMove& move) {
        // Defended catch: one that cannot be moved, or an engine that is away, keeps no other.
        try {
            const MovedInstance moved = moved_by(move);
            jobs_ += moved.jobs;
            add(move, moved);
        } catch (const persistence::DbError& error) {
            fail(move, error.what());
        }
    }

    [[nodiscard]] ExitCode finish() {
        writer_.finish();
        for (const auto& [engine, instances] : moved_to_) {
            // Defended catch: they are moved all the same.
            try {
                audit_in(engine, instances);
            } catch (const persistence::DbError& error) {
                session_.tell(
                    "the audit of engine {} was not written: {}",
                    quoted_if_needed(engine),
                    error.what()
                );
            }
        }
        return tally_.exit_code();
    }

private:
    /// The audit of the engine that they come from has the command itself.
    void audit_in(const std::string& engine, std::int64_t instances) {
        engine::Wiring& to = targets_.at(engine);
        deadletter::AuditTrail(to.audit_store(), to.clock(), &to.action_counts())
            .run(
                {.who = session_.actor(),
                 .via = "cli",
                 .action = "instance move",
                 .arguments = "from engine " + quoted_if_needed(session_.engine_name()),
                 .reason = session_.reason()},
                [instances] {
                    return deadletter::ActionEnd{.result = "done", .changed = instances};
                }
            );
    }

    [[nodiscard]] MovedInstance moved_by(const PlannedMove& move) {
        engine::Wiring& from = session_.engine();
        engine::Wiring& to = targets_.at(move.to);
        const auto side = [](std::string name, engine::Wiring& engine) {
            return deadletter::InstanceMove::Side{
                .engine = std::move(name),
                .store = engine.store(),
                .locks = engine.named_lock_store(),
                .clock = engine.clock()};
        };
        return deadletter::InstanceMove(
                   side(session_.engine_name(), from), side(move.to, to), rules_
        )
            .move(move.id);
    }

    void fail(const PlannedMove& move, const std::string& why) {
        ++tally_.failed;
        session_.tell(
            "jobstrand: instance {}, to engine {}: {}; if the move has begun, the instance is "
            "suspended until it is moved again",
            quoted_if_needed(move.id),
            quoted_if_needed(move.to),
            why
        );
    }

    void add(const PlannedMove& move, const MovedInstance& moved) {
        const std::string id = quoted_if_needed(move.id);
        if (moved.end != MoveEnd::done) {
            ++(moved.end == MoveEnd::not_found ? tally_.not_found : tally_.refused);
            session_.tell(
                "jobstrand: {}{}",
                why_not_moved(move, moved),
                moved.is_suspended ? "; it is suspended in both engines until it is moved" : ""
            );
            return;
        }
        ++tally_.done;
        ++moved_to_[move.to];
        session_.count_changes(1);
        writer_.add({
            text_field("id", move.id),
            text_field("engine", move.to),
            number_field("moved", moved.jobs),
        });
        if (moved.is_suspended) {
            session_.tell(
                "instance {} was suspended, and stays so: `jobstrand instance activate {} --engine "
                "{}`",
                id,
                id,
                quoted_if_needed(move.to)
            );
        }
        if (moved.left > 0) {
            session_.tell(
                "{} come here meanwhile: move it again when its producers go elsewhere",
                counted(
                    moved.left, "job of instance " + id + " has", "jobs of instance " + id + " have"
                )
            );
        }
        rule_.tell_of_new_jobs(session_, move);
    }

    Session& session_;
    const Rule& rule_;
    Targets& targets_;
    deadletter::InstanceMoveRules rules_;
    Progress progress_;
    RecordWriter writer_;
    std::int64_t jobs_ = 0;                         ///< Of the instances that have been moved.
    std::map<std::string, std::int64_t> moved_to_;  ///< Instances, by their new engines.
    MovingTally tally_;
};

[[nodiscard]] ExitCode move_instances(Session& session, const InstanceMoving& wanted) {
    require_one_way(
        {!wanted.ids.empty(), wanted.bulk.all},
        "say which instances: ids, or --all",
        "ids and --all exclude each other"
    );
    if (session.given_database_url() != url_with_password_source(session.settings())) {
        throw WrongUsage(
            "instances move between engines of the configuration file: leave --db and JOBSTRAND_DB "
            "out, and say --engine"
        );
    }
    const Rule rule(session, wanted);
    if (!wanted.to.empty()) {
        (void)session.settings_of(wanted.to);
    }
    const std::vector<PlannedMove> moves = plan_of(session, wanted, rule);
    if (wanted.bulk.dry_run) {
        return show_plan(session, moves);
    }
    if (wanted.bulk.all && !moves.empty()) {
        confirm(session, wanted.bulk.yes, fmt::format("This moves {} instances.", moves.size()));
    }
    Targets targets(session, moves);
    Moving moving(session, wanted, rule, targets);
    for (const PlannedMove& move : moves) {
        moving.move(move);
    }
    return moving.finish();
}

}  // namespace

Operation instance_move_operation() {
    return writing_operation(
        {.words = "instance move",
         .summary = "Move instances to another engine of the configuration file, with all their "
                    "jobs",
         .examples = "  jobstrand instance move order-17 --engine orders-1 --to orders-2\n"
                     "  jobstrand instance move --all --engine orders-1 --dry-run",
         .is_local = true},
        moving_parameters(),
        {.kind = DescribedResult::Kind::list,
         .fields =
             {{"id", "The instance", {}},
              {"engine", "Where it is now", {}},
              {"moved", "How many jobs", {.name = "integer"}, false}}},
        move_instances
    );
}

}  // namespace jobstrand::cli
