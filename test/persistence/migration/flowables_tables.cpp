#include "test/persistence/migration/flowables_tables.hpp"

namespace jobstrand::test {

using namespace std::chrono_literals;
using persistence::Outcome;
using persistence::OutcomeAnswer;
using schema::Job;
using schema::JobPlace;
using testing::ElementsAre;

namespace {

constexpr FlowablesTypes kSqlite{
    .time = "timestamp(3)",
    .bytes = "blob",
    .generated = "boolean",
    .options = ""};
constexpr FlowablesTypes kFlowableOnMysql{
    .time = "timestamp(3) NULL",
    .bytes = "longblob",
    .generated = "tinyint",
    .options = "ENGINE=InnoDB DEFAULT CHARSET=utf8 COLLATE utf8_bin"};
constexpr FlowablesTypes kFlowableOnPostgresql{
    .time = "timestamp",
    .bytes = "bytea",
    .generated = "boolean",
    .options = ""};

const FlowablesTypes& flowables_types(std::string_view database) {
    if (database == "sqlite") {
        return kSqlite;
    }
    return database == "mysql" ? kFlowableOnMysql : kFlowableOnPostgresql;
}

/// To executions and definitions.
std::string foreign_keys_of(JobPlace place) {
    return fmt::format(
        ", CONSTRAINT FK_{0}_EXECUTION FOREIGN KEY (EXECUTION_ID_) REFERENCES ACT_RU_EXECUTION "
        "(ID_), CONSTRAINT FK_{0}_INSTANCE FOREIGN KEY (PROCESS_INSTANCE_ID_) REFERENCES "
        "ACT_RU_EXECUTION (ID_), CONSTRAINT FK_{0}_DEFINITION FOREIGN KEY (PROC_DEF_ID_) "
        "REFERENCES "
        "ACT_RE_PROCDEF (ID_)",
        schema::table_of(place)
    );
}

/// A job table of theirs: its columns, types and foreign keys.
std::string flowable_job_table(JobPlace place, const FlowablesTypes& types) {
    const std::string lock =
        schema::has_lock(place)
            ? fmt::format("LOCK_EXP_TIME_ {}, LOCK_OWNER_ varchar(255),", types.time)
            : "";
    const std::string_view retries = place == JobPlace::dead_letter ? "" : "RETRIES_ integer,";
    return fmt::format(
        "CREATE TABLE {0} (ID_ varchar(64) NOT NULL, REV_ integer, CATEGORY_ varchar(255), "
        "TYPE_ varchar(255) NOT NULL, {1} EXCLUSIVE_ boolean, EXECUTION_ID_ varchar(64), "
        "PROCESS_INSTANCE_ID_ varchar(64), PROC_DEF_ID_ varchar(64), ELEMENT_ID_ varchar(255), "
        "ELEMENT_NAME_ varchar(255), SCOPE_ID_ varchar(255), SUB_SCOPE_ID_ varchar(255), "
        "SCOPE_TYPE_ varchar(255), SCOPE_DEFINITION_ID_ varchar(255), "
        "CORRELATION_ID_ varchar(255), {2} EXCEPTION_STACK_ID_ varchar(64), "
        "EXCEPTION_MSG_ varchar(4000), DUEDATE_ {3}, REPEAT_ varchar(255), "
        "HANDLER_TYPE_ varchar(255), HANDLER_CFG_ varchar(4000), CUSTOM_VALUES_ID_ varchar(64), "
        "CREATE_TIME_ {3}, TENANT_ID_ varchar(255) DEFAULT '', PRIMARY KEY (ID_), "
        "CONSTRAINT FK_{0}_EXCEPTION FOREIGN KEY (EXCEPTION_STACK_ID_) REFERENCES "
        "ACT_GE_BYTEARRAY (ID_), CONSTRAINT FK_{0}_CUSTOM_VALUES FOREIGN KEY (CUSTOM_VALUES_ID_) "
        "REFERENCES ACT_GE_BYTEARRAY (ID_){5}) {4}",
        schema::table_of(place),
        lock,
        retries,
        types.time,
        types.options,
        place == JobPlace::external_worker ? "" : foreign_keys_of(place)
    );
}

/// What their executions have to do with jobs.
std::string flowable_executions(const FlowablesTypes& types) {
    return fmt::format(
        "CREATE TABLE ACT_RU_EXECUTION (ID_ varchar(64) NOT NULL, REV_ integer, LOCK_TIME_ {}, "
        "LOCK_OWNER_ varchar(255), IS_COUNT_ENABLED_ {}, JOB_COUNT_ integer, "
        "TIMER_JOB_COUNT_ integer, SUSP_JOB_COUNT_ integer, DEADLETTER_JOB_COUNT_ integer, "
        "EXTERNAL_WORKER_JOB_COUNT_ integer, PRIMARY KEY (ID_)) {}",
        types.time,
        types.generated,
        types.options
    );
}

}  // namespace

void FlowablesTables::prepare() {
    const FlowablesTypes& types = flowables_types(GetParam());
    connection_->run_script(fmt::format(
        "CREATE TABLE ACT_GE_BYTEARRAY (ID_ varchar(64) NOT NULL, REV_ integer, NAME_ "
        "varchar(255), "
        "DEPLOYMENT_ID_ varchar(64), BYTES_ {}, GENERATED_ {}, PRIMARY KEY (ID_)) {}",
        types.bytes,
        types.generated,
        types.options
    ));
    connection_->run_script(fmt::format(
        "CREATE TABLE ACT_GE_PROPERTY (NAME_ varchar(64) NOT NULL, VALUE_ varchar(300), "
        "REV_ integer, "
        "PRIMARY KEY (NAME_)) {}",
        types.options
    ));
    execute("INSERT INTO ACT_GE_PROPERTY VALUES ('schema.version', '7.1.0.0', 1)");
    connection_->run_script(fmt::format(
        "CREATE TABLE ACT_RE_PROCDEF (ID_ varchar(64) NOT NULL, PRIMARY KEY (ID_)) {}",
        types.options
    ));
    connection_->run_script(flowable_executions(types));
    for (const JobPlace place : schema::kJobPlaces) {
        connection_->run_script(flowable_job_table(place, types));
    }
    connection_->run_script("CREATE INDEX ACT_IDX_JOB_SCOPE ON ACT_RU_JOB (SCOPE_ID_)");
    execute("INSERT INTO ACT_RU_JOB (ID_, TYPE_, RETRIES_) VALUES ('theirs', 'message', 2)");
}

void FlowablesTables::take_over() {
    EXPECT_EQ(
        persistence::upgrade_schema(*connection_, persistence::OthersTables::take_over).from, 0
    );
}

Job FlowablesTables::acquire() {
    std::vector<Job> jobs = store_.executor().acquire(
        {.owner = "node", .until = now_ + 5min}, std::vector<std::string>{"noop"}, 10
    );
    EXPECT_EQ(jobs.size(), 1U);
    return jobs.at(0);
}

void FlowablesTables::apply(const Job& job, const schema::Transition& transition) {
    EXPECT_THAT(
        store_.executor().apply(
            "node",
            std::vector<Outcome>{
                {.job = std::make_shared<const schema::Job>(job), .transition = transition}}
        ),
        ElementsAre(OutcomeAnswer::done)
    );
}

void FlowablesTables::fail(const Job& job, std::string details) {
    const schema::JobFailure failure{.message = "no", .details = std::move(details)};
    apply(job, schema::failed(job, failure, schema::RetryPolicy{}, now_));
}

}  // namespace jobstrand::test
