#include "test/persistence/migration/shared_tables.hpp"

namespace jobstrand::test {

void SharedTables::prepare() {
    FlowablesTables::prepare();
    take_over();
    execute("DELETE FROM ACT_RU_JOB");
    execute("INSERT INTO ACT_RE_PROCDEF (ID_) VALUES ('process:1')");
}

void SharedTables::an_execution(std::string_view id, int jobs, int timers, int dead) {
    execute(fmt::format(
        "INSERT INTO ACT_RU_EXECUTION (ID_, REV_, IS_COUNT_ENABLED_, JOB_COUNT_, "
        "TIMER_JOB_COUNT_, SUSP_JOB_COUNT_, DEADLETTER_JOB_COUNT_, EXTERNAL_WORKER_JOB_COUNT_) "
        "VALUES ('{}', 1, {}, {}, {}, 0, {}, 0)",
        id,
        GetParam() == "mysql" ? "1" : "TRUE",
        jobs,
        timers,
        dead
    ));
}

void SharedTables::a_job_of(
    std::string_view execution,
    std::string_view table,
    std::string_view id
) {
    execute(fmt::format(
        "INSERT INTO {} (ID_, REV_, TYPE_, EXECUTION_ID_, PROCESS_INSTANCE_ID_, PROC_DEF_ID_, "
        "HANDLER_TYPE_, DUEDATE_, REPEAT_, SCOPE_TYPE_) VALUES ('{}', 1, 'timer', '{}', '{}', "
        "'process:1', 'trigger-timer', '2020-01-01 00:00:00', 'R/PT1H', NULL)",
        table,
        id,
        execution,
        execution
    ));
}

std::string SharedTables::counts_of(std::string_view execution) {
    return text_of(fmt::format(
        "SELECT CONCAT(REV_, ' ', JOB_COUNT_, TIMER_JOB_COUNT_, SUSP_JOB_COUNT_, "
        "DEADLETTER_JOB_COUNT_, EXTERNAL_WORKER_JOB_COUNT_) FROM ACT_RU_EXECUTION WHERE ID_ = "
        "'{}'",
        execution
    ));
}

}  // namespace jobstrand::test
