#include "deadletter/instance_move.hpp"
#include "schema/uuid7.hpp"
#include "tools/engine/engine_of_key.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/output/progress.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/settings/settings_file.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace jobstrand::cli {

namespace {

using deadletter::ItemAnswer;
using deadletter::ItemResult;
using deadletter::MovedInstance;
using deadletter::Refusal;

struct InstanceMoving {
    std::vector<std::string> ids;
    BulkFlags bulk;
    std::string to;
    std::optional<schema::Duration> patience;
    bool activate = false;
};

/// An instance, and the engine that it is to go to.
struct PlannedMove {
    std::string id;
    std::string to;
};

[[nodiscard]] const Parameters<InstanceMoving>& moving_parameters() {
    static const Parameters<InstanceMoving> all = joined(
        Parameters<InstanceMoving>{
            {"ids", &InstanceMoving::ids, "Their ids; - reads them from stdin", {.unit = "ID"}}},
        with_part<InstanceMoving>({}, bulk_parameters(), &InstanceMoving::bulk),
        Parameters<InstanceMoving>{
            {"--to",
             &InstanceMoving::to,
             "The engine [where spreadOver says that each belongs]",
             {.unit = "ENGINE"}},
            {"--wait",
             &InstanceMoving::patience,
             "How long running jobs of an instance may take to end [1m]",
             {.unit = "DURATION"}},
            {"--activate",
             &InstanceMoving::activate,
             "Let them go on in the end, also those that were suspended before"},
        }
    );
    return all;
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
            throw CliError(
                ExitCode::wrong_usage, "--to names the engine that the instances are in"
            );
        }
        if (to_.empty() && names_.empty()) {
            throw CliError(
                ExitCode::wrong_usage,
                "say where they go: --to ENGINE (the configuration file has no spreadOver)"
            );
        }
    }

    [[nodiscard]] std::string engine_of(const std::string& instance) const {
        return to_.empty() ? engine::engine_of_key(instance, names_) : to_;
    }

    /// nullopt: it belongs where it is.
    [[nodiscard]] std::optional<PlannedMove> plan(const std::string& instance) const {
        std::string to = engine_of(instance);
        return to == here_ ? std::nullopt : std::optional(PlannedMove{instance, std::move(to)});
    }

    /// Says where new jobs of a moved instance are stored, if that is elsewhere.
    void tell_of_new_jobs(Session& session, const PlannedMove& move) const {
        if (names_.empty()) {
            return;
        }
        if (const std::string next = engine::engine_of_key(move.id, names_); next != move.to) {
            session.tell(fmt::format(
                "new jobs of instance {} are stored in {} all the same, by spreadOver",
                quoted_if_needed(move.id),
                quoted_if_needed(next)
            ));
        }
    }

private:
    const std::string here_;
    const std::string to_;
    const std::vector<std::string> names_;
};

[[nodiscard]] std::vector<PlannedMove> plan_of_all(Session& session, const Rule& rule) {
    std::vector<PlannedMove> moves;
    deadletter::ScopeQuery query{.scope = persistence::SuspensionScope::instance, .limit = 1000};
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
    for (const std::string& id : wanted.ids) {
        (void)app_id_of("the id", id);
        if (auto move = rule.plan(id)) {
            moves.push_back(*std::move(move));
        } else {
            session.tell(fmt::format(
                "jobstrand: instance {} belongs where it is, by spreadOver", quoted_if_needed(id)
            ));
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

/// The engines that instances go to, each opened when the first one does.
class Targets final {
public:
    explicit Targets(Session& session) : session_(session) {}

    [[nodiscard]] engine::Wiring& at(const std::string& name) {
        auto& target = targets_[name];
        if (target == nullptr) {
            const Settings settings = session_.settings_of(name);
            EngineSurroundings around = session_.surroundings();
            around.engine_name = name;
            target =
                open_engine(url_with_password_source(settings), settings, OpenFor::command, around);
            if (are_one_database(session_.engine(), *target)) {
                target.reset();
                throw CliError(
                    ExitCode::refused,
                    fmt::format(
                        "engines {} and {} have the same database",
                        quoted_if_needed(session_.engine_name()),
                        quoted_if_needed(name)
                    )
                );
            }
        }
        return *target;
    }

private:
    Session& session_;
    std::map<std::string, std::unique_ptr<engine::Wiring>> targets_;
};

[[nodiscard]] std::string why_not_moved(const PlannedMove& move, const ItemResult& item) {
    const std::string id = quoted_if_needed(move.id);
    switch (item.answer) {
        case ItemAnswer::not_found:
            return fmt::format("instance {} has no jobs here", id);
        case ItemAnswer::locked:
            return item.moved == 0 ? fmt::format(
                                         "jobs of instance {} still run: try again, with a longer "
                                         "--wait; nothing has moved",
                                         id
                                     )
                                   : fmt::format(
                                         "others change the jobs of instance {}: try again; {} "
                                         "have moved, and it is suspended in both engines",
                                         id,
                                         item.moved
                                     );
        default:
            break;
    }
    const std::string rest =
        item.moved == 0
            ? std::string()
            : fmt::format("; {} jobs have moved, and it is suspended in both engines", item.moved);
    switch (item.refusal) {
        case Refusal::carries_series_on: {
            const std::string series = quoted_if_needed(item.series);
            return fmt::format(
                "instance {} has a job of series {}, which stays in its engine: `jobstrand series "
                "end {}`, and start it there{}",
                id,
                series,
                series,
                rest
            );
        }
        case Refusal::is_of_engine:
            return fmt::format(
                "instance {} is one of Flowable's, whose engine keeps executions and tasks with it "
                "in that database",
                id
            );
        case Refusal::unique_key_is_held:
            return fmt::format(
                "instance {} has a job with the unique key {}, as job {} of engine {} has: try "
                "again when that has ended{}",
                id,
                quoted_if_needed(item.unique_key),
                quoted_if_needed(item.holder),
                quoted_if_needed(move.to),
                rest
            );
        default:
            return fmt::format(
                "instance {} has a job {}, and engine {} another one of this id{}",
                id,
                quoted_if_needed(item.holder),
                quoted_if_needed(move.to),
                rest
            );
    }
}

[[nodiscard]] ExitCode show_plan(Session& session, const std::vector<PlannedMove>& moves) {
    session.tell(fmt::format("{} instances would be moved; nothing was", moves.size()));
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

    [[nodiscard]] ExitCode exit_code() const {
        if (not_found + refused == 0) {
            return ExitCode::done;
        }
        if (done > 0) {
            return ExitCode::partly_done;
        }
        return refused > 0 ? ExitCode::refused : ExitCode::not_found;
    }
};

class Moving final {
public:
    Moving(Session& session, const InstanceMoving& wanted, std::size_t total)
        : session_(session),
          targets_(session),
          progress_(session.streams(), session.clock(), "moved"),
          writer_(
              session.streams().out,
              session.format(),
              moved_instance_columns(),
              session.style()
          ),
          total_(static_cast<std::int64_t>(total)) {
        rules_.activate = wanted.activate;
        rules_.patience = wanted.patience.value_or(rules_.patience);
    }

    /// False: it has not moved, and it was told why.
    bool move(const PlannedMove& move) {
        engine::Wiring& to = targets_.at(move.to);
        deadletter::InstanceMove instance_move(
            {.store = session_.store(), .clock = session_.engine().clock()},
            {.store = to.store(), .clock = to.clock()},
            rules_
        );
        const MovedInstance moved = instance_move.move(move.id);
        add(move, moved);
        progress_.show(++seen_, total_);
        return moved.item.answer == ItemAnswer::done;
    }

    [[nodiscard]] ExitCode finish() {
        writer_.finish();
        return tally_.exit_code();
    }

private:
    void add(const PlannedMove& move, const MovedInstance& moved) {
        if (moved.item.answer != ItemAnswer::done) {
            ++(moved.item.answer == ItemAnswer::not_found ? tally_.not_found : tally_.refused);
            session_.tell("jobstrand: " + why_not_moved(move, moved.item));
            return;
        }
        ++tally_.done;
        session_.count_changes(1);
        writer_.add({
            text_field("id", move.id),
            text_field("engine", move.to),
            number_field("moved", moved.item.moved),
        });
        if (moved.is_suspended) {
            const std::string id = quoted_if_needed(move.id);
            session_.tell(fmt::format(
                "instance {} was suspended, and stays so: `jobstrand instance activate {} --engine "
                "{}`",
                id,
                id,
                quoted_if_needed(move.to)
            ));
        }
    }

    Session& session_;
    Targets targets_;
    deadletter::InstanceMoveRules rules_;
    Progress progress_;
    RecordWriter writer_;
    const std::int64_t total_;
    std::int64_t seen_ = 0;
    MovingTally tally_;
};

[[nodiscard]] ExitCode move_instances(Session& session, const InstanceMoving& wanted) {
    require_one_way(
        {!wanted.ids.empty(), wanted.bulk.all},
        "say which instances: ids, or --all",
        "ids and --all exclude each other"
    );
    const Rule rule(session, wanted);
    const std::vector<PlannedMove> moves = plan_of(session, wanted, rule);
    if (wanted.bulk.dry_run) {
        return show_plan(session, moves);
    }
    if (wanted.bulk.all && !moves.empty()) {
        confirm(session, wanted.bulk.yes, fmt::format("This moves {} instances.", moves.size()));
    }
    Moving moving(session, wanted, moves.size());
    for (const PlannedMove& move : moves) {
        if (moving.move(move)) {
            rule.tell_of_new_jobs(session, move);
        }
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
