#pragma once

#include "executor/executor_settings.hpp"
#include "persistence/drivers/driver.hpp"
#include "persistence/store/statement_trial.hpp"
#include "tools/operations/health_checks.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/session/session.hpp"

#include <chrono>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// Each job costs a few answers, and each node waits for its own.
inline constexpr std::chrono::milliseconds kSlowAnswer{100};

/// How fast it answers. Pure.
[[nodiscard]] Finding
finding_of_answer(std::string_view product, std::chrono::duration<double, std::milli> took);

/// Its version and how fast it answers.
void check_answer(
    persistence::Connection& connection,
    const persistence::Driver& driver,
    Findings& findings
);

/// Whether this program can work with the tables; if not, why is among the findings.
[[nodiscard]] bool check_tables(persistence::Connection& connection, Findings& findings);

/// Whether there are the indexes that the settings need.
void check_indexes(
    persistence::Connection& connection,
    const executor::ExecutorSettings& settings,
    Findings& findings
);

/// Whether it takes what nodes ask of it.
void check_statements(const std::vector<persistence::RefusedActivity>& refused, Findings& findings);

/// What the database tells of itself.
void check_symptoms(
    persistence::Connection& connection,
    const persistence::Driver& driver,
    const persistence::DatabaseUrl& url,
    Findings& findings
);

/// Pure.
[[nodiscard]] Finding finding_of(
    const persistence::Diagnostics::Symptom& symptom,
    const persistence::SymptomAnswer& answer
);

struct DoctorOptions {};

/// `doctor`: looks whether an installation is healthy, at a bounded cost, and says what to do.
/// check_found when anything is wrong.
[[nodiscard]] ExitCode diagnose(Session& session, const DoctorOptions& options);

}  // namespace jobstrand::cli
