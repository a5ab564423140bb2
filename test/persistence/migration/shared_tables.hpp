#pragma once

#include "test/persistence/migration/flowables_tables.hpp"

namespace jobstrand::test {

/// Where an engine has jobs of its own.
class SharedTables : public FlowablesTables {
protected:
    void prepare() override;

    /// An execution of the engine that counts so many jobs of these places.
    void an_execution(std::string_view id, int jobs, int timers, int dead);

    /// A job of it, as an engine writes it.
    void a_job_of(std::string_view execution, std::string_view table, std::string_view id);

    /// REV_, and behind it one digit for each place.
    std::string counts_of(std::string_view execution);
};

}  // namespace jobstrand::test
