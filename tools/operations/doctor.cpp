#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/migration/schema_check.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/store/statement_trial.hpp"
#include "schema/acquisition.hpp"
#include "schema/tables.hpp"
#include "tools/operations/health_checks.hpp"
#include "tools/operations/nouns.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand::cli {

using persistence::Connection;
using persistence::DatabaseUrl;
using persistence::Driver;
using persistence::SessionPool;
using schema::JobPlace;

namespace {

constexpr int kAnswersAsked = 3;

void check_index(
    Connection& connection,
    const schema::OptionalIndex& index,
    std::string_view purpose,
    Findings& findings
) {
    const bool is_there = persistence::has_index(connection, index);
    findings.push_back(
        {.check = "index",
         .level = is_there ? FindingLevel::ok : FindingLevel::wrong,
         .text = fmt::format(
             "{}, for {}, {}", index.index.name, purpose, is_there ? "is there" : "is missing"
         ),
         .advice = is_there ? "" : fmt::format("jobstrand schema index {} --create", index.name)}
    );
}

std::string one_value(Connection& connection, std::string_view sql) {
    std::string value;
    connection.query({.sql = sql, .columns = 1}, {}, [&](const persistence::Row& row) {
        value = row.text(0);
    });
    return value;
}

void check_durability(Connection& connection, const Driver& driver, Findings& findings) {
    std::string all;
    for (const auto& [name, sql] : driver.diagnostics.durability) {
        all += fmt::format("{}{} {}", all.empty() ? "" : ", ", name, one_value(connection, sql));
    }
    findings.push_back({.check = "durability", .text = std::move(all)});
}

/// Its version and how fast it answers.
void check_answer(Connection& connection, const Driver& driver, Findings& findings) {
    std::chrono::duration<double, std::milli> least = std::chrono::hours(1);
    std::string version;
    // The fastest counts: one may have had to wait for this machine.
    for (int tries = 0; tries < kAnswersAsked; ++tries) {
        const auto begin = std::chrono::steady_clock::now();
        version = one_value(connection, driver.diagnostics.version_sql);
        least = std::min<decltype(least)>(least, std::chrono::steady_clock::now() - begin);
    }
    findings.push_back(
        finding_of_answer(fmt::format("{} {}", driver.diagnostics.product, version), least)
    );
}

/// Whether this program can work with the tables; if not, why is among the findings.
[[nodiscard]] bool check_tables(Connection& connection, Findings& findings) {
    const auto version = persistence::schema_version(connection);
    if (version != schema::kSchemaVersion) {
        const bool is_newer = version && *version > schema::kSchemaVersion;
        findings.push_back(
            {.check = "tables",
             .level = FindingLevel::wrong,
             .text = version ? fmt::format(
                                   "they have version {}, and this program needs {}",
                                   *version,
                                   schema::kSchemaVersion
                               )
                             : "Jobstrand's tables are not there",
             .advice = is_newer  ? "install the newer program"
                       : version ? "jobstrand schema upgrade"
                                 : "jobstrand schema create"}
        );
        return false;
    }
    const persistence::SchemaReport report = persistence::check_schema(connection);
    const std::size_t differences = report.differences.size();
    findings.push_back(
        {.check = "tables",
         .level = differences > 0 ? FindingLevel::wrong : FindingLevel::ok,
         .text = differences > 0
                     ? fmt::format(
                           "{} differences from what this program expects, the first: {}",
                           differences,
                           report.differences.front().description
                       )
                     : fmt::format("complete, version {}", schema::kSchemaVersion),
         .advice = differences > 0 ? "jobstrand schema check tells how to mend them" : ""}
    );
    return true;
}

/// Whether there are the indexes that the settings need.
void check_indexes(
    Connection& connection,
    const executor::ExecutorSettings& settings,
    Findings& findings
) {
    if (settings.order.is_any()) {
        const schema::OptionalIndex& index = schema::index_of(settings.order);
        check_index(connection, index, "the order in which jobs are acquired", findings);
    }
    if (settings.instances_together) {
        const std::string_view purpose = "taking jobs of an instance along";
        check_index(connection, schema::kInstanceIndex, purpose, findings);
    }
}

/// Whether the database takes what nodes ask of it.
void check_statements(
    const std::vector<persistence::RefusedActivity>& refused,
    Findings& findings
) {
    if (refused.empty()) {
        findings.push_back({.check = "statements", .text = "the database takes all that nodes need"}
        );
    }
    for (const persistence::RefusedActivity& one : refused) {
        findings.push_back(
            {.check = "statements",
             .level = FindingLevel::wrong,
             .text = fmt::format("nodes cannot {}: {}", one.activity, one.reason),
             .advice =
                 "use a database that docs/databases.md lists: on this one jobs would run again "
                 "and again, or not at all"}
        );
    }
}

[[nodiscard]] Finding finding_of(
    const persistence::Diagnostics::Symptom& symptom,
    const persistence::SymptomAnswer& answer
) {
    Finding finding{.check = std::string(symptom.name)};
    if (!answer.error.empty()) {
        finding.level = FindingLevel::unknown;
        finding.text = answer.error;
        finding.advice = symptom.grant;
        return finding;
    }
    const bool is_wrong = answer.number.value_or(0) > symptom.most;
    finding.text = answer.number ? symptom.unit.empty() ? answer.words
                                                        : fmt::format(
                                                              "{} {}{}{}",
                                                              *answer.number,
                                                              symptom.unit,
                                                              answer.words.empty() ? "" : ", ",
                                                              answer.words
                                                          )
                                 : "there is none";
    if (is_wrong) {
        finding.level = FindingLevel::wrong;
        finding.advice = symptom.advice;
    } else if (answer.is_blind) {
        finding.level = FindingLevel::unknown;
        finding.text += "; this user may not see those of others";
        finding.advice = symptom.grant;
    }
    return finding;
}

/// What the database tells of itself.
void check_symptoms(
    Connection& connection,
    const Driver& driver,
    const persistence::DatabaseUrl& url,
    Findings& findings
) {
    check_durability(connection, driver, findings);
    for (const auto& [symptom, answer] : persistence::ask_about_all(connection, driver, url.path)) {
        findings.push_back(finding_of(symptom, answer));
    }
}

/// Free jobs that are looked at for kinds that nobody serves.
constexpr std::size_t kJobsLookedAt = 10'000;

[[nodiscard]] QueueFacts queue_facts(Session& session, const std::string& series_up_to) {
    persistence::OperatorStore& store = session.store();
    QueueFacts facts{.now = session.database_now(), .series_up_to = series_up_to};
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
    facts.without_turn = session.engine().series_store().series_without_turn(
        series_up_to, QueueFacts::kMostCounted + 1
    );
    facts.external = deadletter::external_topics(
        session.engine().watch_store(), session.engine().node_store(), facts.now
    );
    return facts;
}

[[nodiscard]] schema::Page<schema::Series> waiting_series(Session& session, std::size_t most) {
    const persistence::SeriesFilter filter{.condition = persistence::SeriesCondition::waiting};
    auto page = session.series().list(filter, "", most);
    schema::Page<schema::Series> waiting;
    waiting.has_more = page.has_more;
    for (auto& summary : page.items) {
        waiting.items.push_back(std::move(summary.series));
    }
    return waiting;
}

/// What the stores tell; the tables are as they must be.
void look_at_engine(Session& session, Findings& findings) {
    look_at("clock", findings, [&](Findings& found) {
        found.push_back(finding_of_clock(session.engine().clock_skew()));
    });
    look_at("nodes", findings, [&](Findings& found) {
        check_nodes(session.nodes().nodes(), session.database_now(), found);
        check_lost_nodes(
            session.nodes().lost_nodes(session.database_now()), session.database_now(), found
        );
    });
    look_at("engine", findings, [&](Findings& found) {
        persistence::EngineStore& engine = session.engine().engine_store();
        if (engine.has_engine()) {
            found.push_back(
                finding_of_engine_times(engine.last_engine_job(), session.database_now())
            );
        }
    });
    look_at("jobs", findings, [&](Findings& found) {
        const bool is_soon = session.is_for_client();
        const auto waiting =
            waiting_series(session, is_soon ? kSeriesLookedAtSoon : kSeriesLookedAt);
        const bool is_part = is_soon && waiting.has_more;
        check_jobs(queue_facts(session, is_part ? waiting.items.back().key : ""), found);
        found.push_back(finding_of_series(waiting));
    });
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
        look_at("statements", findings, [&](Findings& found) {
            check_statements(session.engine().refused_activities(), found);
        });
        look_at_engine(session, findings);
    }
    look_at("database", findings, [&](Findings& found) {
        const auto connection = pool.lease(SessionPool::Access::read);
        check_symptoms(*connection, driver, url, found);
    });
}

/// Where the names of checks begin, and what is told of them in a terminal that is too narrow for
/// two columns.
constexpr std::size_t kIndent = 8;
constexpr std::size_t kWideEnough = 80;
constexpr std::size_t kUsualName = 24;

/// Writes a text behind what stands on the line already, its further lines below each other.
void write_wrapped(
    std::ostream& out,
    std::string_view text,
    std::size_t indent,
    std::optional<std::size_t> columns
) {
    std::size_t column = indent;
    for (bool is_first = true; !text.empty(); is_first = false) {
        const std::size_t end = std::min(text.find(' '), text.size());
        const std::size_t width = width_of(text.substr(0, end));
        if (!is_first && columns && column + 1 + width > *columns) {
            out << '\n' << std::string(indent, ' ');
            column = indent;
        } else if (!is_first) {
            out << ' ';
            ++column;
        }
        out << text.substr(0, end);
        column += width;
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    out << '\n';
}

void write_findings_for_people(
    std::ostream& out,
    const Findings& findings,
    std::optional<std::size_t> columns
) {
    std::size_t name_width = kUsualName;
    for (const Finding& finding : findings) {
        name_width = std::max(name_width, finding.check.size() + 2);
    }
    const bool is_narrow = columns && *columns < kWideEnough;
    for (const Finding& finding : findings) {
        out << fmt::format("{:<{}}", name_of(finding.level), kIndent);
        if (is_narrow) {
            out << finding.check << '\n' << std::string(kIndent, ' ');
        } else {
            out << fmt::format("{:<{}}", finding.check, name_width);
        }
        const std::size_t indent = is_narrow ? kIndent : kIndent + name_width;
        write_wrapped(out, printable(finding.text), indent, columns);
        if (!finding.advice.empty()) {
            out << std::string(kIndent, ' ') << "-> ";
            write_wrapped(out, printable(finding.advice), kIndent + 3, columns);
        }
    }
}

void write_findings(Session& session, const Findings& findings) {
    if (session.format() == OutputFormat::table) {
        write_findings_for_people(session.streams().out, findings, session.style().columns);
        return;
    }
    RecordWriter writer(session.streams().out, session.format(), columns_of(finding_fields()));
    for (const Finding& finding : findings) {
        writer.add(record_of(finding_fields(), finding));
    }
    writer.finish();
}

/// Looks at what can be looked at for a bounded cost; check_found when anything is wrong.
[[nodiscard]] ExitCode diagnose(Session& session, const NoParameters&) {
    const DatabaseUrl url = session.is_for_client()
                                ? session.engine().database()
                                : persistence::parse_database_url(session.database_url()).value();
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

}  // namespace

OperationNoun doctor_verb() {
    return {
        .operations = {writing_operation<NoParameters>(
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
