#pragma once

#include "persistence/drivers/driver.hpp"
#include "persistence/drivers/symptom.hpp"
#include "schema/acquisition_order.hpp"
#include "tools/jobstrand/commands/doctor/finding.hpp"

namespace jobstrand::cli {

/// Its version and how fast it answers.
void check_answer(
    persistence::Connection& connection,
    const persistence::Driver& driver,
    Findings& findings
);

/// Whether this program can work with the tables; if not, why is among the findings.
[[nodiscard]] bool check_tables(persistence::Connection& connection, Findings& findings);

/// Whether there is the index that an order needs.
void check_order(
    persistence::Connection& connection,
    const schema::AcquisitionOrder& order,
    Findings& findings
);

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

}  // namespace jobstrand::cli
