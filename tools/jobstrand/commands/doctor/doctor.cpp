#include "tools/jobstrand/commands/doctor/doctor.hpp"

#include "persistence/drivers/database.hpp"
#include "persistence/drivers/parse_database_url.hpp"
#include "persistence/drivers/registry.hpp"
#include "tools/jobstrand/commands/doctor/database_checks.hpp"
#include "tools/jobstrand/commands/doctor/job_health.hpp"
#include "tools/jobstrand/commands/doctor/node_health.hpp"
#include "tools/jobstrand/output/printable.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

namespace jobstrand::cli {

namespace {

using persistence::DatabaseUrl;
using persistence::SessionPool;
using schema::JobPlace;

/// Free jobs that are looked at for kinds that nobody serves.
constexpr std::size_t kJobsLookedAt = 10'000;

[[nodiscard]] QueueFacts queue_facts(Session& session) {
    persistence::OperatorStore& store = session.store();
    QueueFacts facts{.now = session.database_now()};
    facts.unserved = session.served().unserved(facts.now, kJobsLookedAt);
    persistence::JobFilter not_locked;
    not_locked.locked = false;
    if (session.engine().engine_store().has_engine()) {
        not_locked.fields.push_back(
            persistence::equals(&schema::Job::scope_type, std::string(schema::kOurScope))
        );
    }
    if (auto first = store.list(JobPlace::executable, not_locked, "", 1); !first.empty()) {
        facts.first_free = std::move(first.front());
    }
    facts.next_due = session.engine().timer_store().next_due({session.engine().handlers().types()});
    facts.dead_letters =
        store.list_ids(JobPlace::dead_letter, {}, "", QueueFacts::kMostCounted + 1).size();
    if (auto latest = store.newest_dead_letters({}, {}, 1); !latest.empty()) {
        facts.latest_dead = std::move(latest.front());
    }
    facts.without_turn =
        session.engine().series_store().series_without_turn(QueueFacts::kMostCounted + 1);
    return facts;
}

/// What the stores tell; the tables are as they must be.
void look_at_engine(Session& session, Findings& findings) {
    look_at("clock", findings, [&](Findings& found) {
        check_clock(session.engine().clock_skew(), found);
    });
    look_at("nodes", findings, [&](Findings& found) {
        check_nodes(session.nodes().list(), session.database_now(), found);
        check_lost_nodes(
            session.nodes().lost(session.database_now()), session.database_now(), found
        );
    });
    look_at("engine", findings, [&](Findings& found) {
        persistence::EngineStore& engine = session.engine().engine_store();
        if (engine.has_engine()) {
            check_engine_times(engine.last_engine_job(), session.database_now(), found);
        }
    });
    look_at("jobs", findings, [&](Findings& found) { check_jobs(queue_facts(session), found); });
}

void look_at_database(
    Session& session,
    SessionPool& pool,
    const DatabaseUrl& url,
    Findings& findings
) {
    const persistence::Driver& driver = persistence::driver_of(url);
    bool is_usable = false;
    look_at("tables", findings, [&](Findings& found) {
        const auto connection = pool.lease(SessionPool::Access::read);
        check_answer(*connection, driver, found);
        is_usable = check_tables(*connection, found);
        if (is_usable) {
            check_indexes(*connection, session.settings().executor, found);
        }
    });
    if (is_usable) {
        look_at_engine(session, findings);
    }
    look_at("database", findings, [&](Findings& found) {
        const auto connection = pool.lease(SessionPool::Access::read);
        check_symptoms(*connection, driver, url, found);
    });
}

void write_for_people(std::ostream& out, const Findings& findings) {
    for (const Finding& finding : findings) {
        out << fmt::format(
            "{:<8}{:<24}{}\n", name_of(finding.level), finding.check, printable(finding.text)
        );
        if (!finding.advice.empty()) {
            out << "        -> " << printable(finding.advice) << '\n';
        }
    }
}

void write_findings(Session& session, const Findings& findings) {
    if (session.format() == OutputFormat::table) {
        write_for_people(session.streams().out, findings);
        return;
    }
    const std::vector<TableColumn> no_table;
    RecordWriter writer(session.streams().out, session.format(), no_table);
    for (const Finding& finding : findings) {
        writer.add(record_of(finding));
    }
    writer.finish();
}

}  // namespace

ExitCode diagnose(Session& session, const DoctorOptions& /*options*/) {
    const DatabaseUrl url = persistence::parse_database_url(session.database_url()).value();
    Findings findings;
    look_at("database", findings, [&](Findings& found) {
        const auto pool = persistence::open_database(url);
        look_at_database(session, *pool, url, found);
    });
    write_findings(session, findings);
    const bool is_any_wrong = std::ranges::any_of(findings, [](const Finding& finding) {
        return finding.level == FindingLevel::wrong;
    });
    return is_any_wrong ? ExitCode::check_found : ExitCode::done;
}

}  // namespace jobstrand::cli
