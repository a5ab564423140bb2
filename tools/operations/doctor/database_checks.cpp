#include "tools/operations/doctor/database_checks.hpp"

#include "persistence/migration/optional_index.hpp"
#include "persistence/migration/schema_check.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "schema/acquisition_order.hpp"
#include "schema/tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <string>

namespace jobstrand::cli {

namespace {

using persistence::Connection;
using persistence::Driver;

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

}  // namespace

Finding
finding_of_answer(std::string_view product, std::chrono::duration<double, std::milli> took) {
    Finding finding{
        .check = "database", .text = fmt::format("{} answers in {:.1f} ms", product, took.count())};
    if (took > kSlowAnswer) {
        finding.level = FindingLevel::wrong;
        finding.text += ", which is slow";
        finding.advice =
            "look at the way to it and at its load: nodes wait for several answers "
            "before each batch of jobs";
    }
    return finding;
}

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

bool check_tables(Connection& connection, Findings& findings) {
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

Finding finding_of(
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

}  // namespace jobstrand::cli
