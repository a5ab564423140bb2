#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/store/sql_store.hpp"
#include "persistence/store/statement_trial.hpp"
#include "schema/job_fields.hpp"
#include "schema/job_transition.hpp"
#include "schema/uuid7.hpp"
#include "test/fixtures/job_builder.hpp"
#include "test/fixtures/recording_log.hpp"
#include "test/persistence/adapter_test.hpp"
#include "test/persistence/schema_differences.hpp"
#include "timers/series/series_planner.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace jobstrand::test {

namespace {

using persistence::IdOrigin;
using persistence::JobAnswer;
using persistence::Outcome;
using persistence::OutcomeAnswer;
using persistence::SuspensionScope;
using schema::Job;
using schema::JobPlace;

/// How Flowable 6 to 8 create their tables.
struct FlowablesTypes {
    std::string_view time;
    std::string_view bytes;
    std::string_view generated;
    std::string_view options;  ///< Behind each table.
};

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

/// A database of Flowable, and a store on it.
class FlowablesTables : public AdapterTest {
protected:
    /// As Flowable leaves it; take_over() completes it.
    void prepare() override {
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

    void take_over() {
        EXPECT_EQ(
            persistence::upgrade_schema(*connection_, persistence::OthersTables::take_over).from, 0
        );
    }
    void insert(JobPlace place, const Job& job) {
        store_.enqueuer().insert({{place, job}}, IdOrigin::given);
    }
    schema::Job acquire() {
        std::vector<Job> jobs = store_.executor().acquire(
            {.owner = "node", .until = now_ + 5min}, std::vector<std::string>{"noop"}, 10
        );
        EXPECT_EQ(jobs.size(), 1U);
        return jobs.at(0);
    }
    void apply(const Job& job, const schema::Transition& transition) {
        EXPECT_THAT(
            store_.executor().apply(
                "node",
                std::vector<Outcome>{
                    {.job = std::make_shared<const schema::Job>(job), .transition = transition}}
            ),
            ElementsAre(OutcomeAnswer::done)
        );
    }
    void fail(const Job& job, std::string details) {
        const schema::JobFailure failure{.message = "no", .details = std::move(details)};
        apply(job, schema::failed(job, failure, schema::RetryPolicy{}, now_));
    }

    const schema::TimePoint now_{std::chrono::milliseconds(1'767'225'600'000)};
    RecordingLog log_;
    SessionPool pool_{
        [this](SessionPool::Access) { return connect(); },
        {.writers = 1, .readers = 0},
        std::chrono::seconds(10)};
    const timers::SeriesPlanner schedule_;
    persistence::SqlStore sql_store_{pool_, log_, schedule_};
    persistence::SqlStore& store_ = sql_store_;
};

ON_EVERY_DATABASE(FlowablesTables);

TEST_P(FlowablesTables, Are_refused_until_they_have_our_columns_and_are_kept_as_they_are) {
    EXPECT_EQ(persistence::schema_version(*connection_), std::nullopt);
    const auto refused = error_of([&] { persistence::require_current_schema(*connection_); });
    EXPECT_EQ(refused.kind(), DbErrorKind::schema_missing);
    EXPECT_STREQ(
        refused.what(),
        "the tables are Flowable's, without Jobstrand's columns, which do not disturb it: run "
        "`jobstrand schema upgrade`"
    );
    EXPECT_STREQ(
        error_of([&] { persistence::upgrade_schema(*connection_); }).what(), refused.what()
    );
    EXPECT_TRUE(persistence::has_others_tables(*connection_));
    take_over();
    EXPECT_FALSE(persistence::has_others_tables(*connection_));
    EXPECT_NO_THROW(persistence::require_current_schema(*connection_));
    EXPECT_EQ(text_of("SELECT RETRIES_ FROM ACT_RU_JOB WHERE ID_ = 'theirs'"), "2");
    EXPECT_EQ(text_of("SELECT PRIORITY_ FROM ACT_RU_JOB WHERE ID_ = 'theirs'"), "0");
    EXPECT_EQ(
        text_of("SELECT VALUE_ FROM ACT_GE_PROPERTY WHERE NAME_ = 'schema.version'"), "7.1.0.0"
    );
}

TEST_P(FlowablesTables, Hold_long_payloads_and_stack_traces_in_spite_of_their_foreign_keys) {
    take_over();
    const std::string payload(10'000, 'p');
    insert(JobPlace::executable, a_job("a").with_payload(payload).with_retries(3));

    fail(acquire(), "first details");
    EXPECT_EQ(store_.jobs().fire_timer("a", now_), JobAnswer::done);
    fail(acquire(), "second details");
    EXPECT_EQ(
        store_.jobs().exception_details(store_.jobs().find("a").value().job), "second details"
    );
    EXPECT_EQ(
        store_.jobs().change(
            JobPlace::timer, "a", {schema::set_to(&Job::payload, std::string(9000, 'q'))}, now_
        ),
        JobAnswer::done
    );
    EXPECT_EQ(store_.jobs().fire_timer("a", now_), JobAnswer::done);
    const Job job = acquire();
    EXPECT_EQ(job.payload, std::string(9000, 'q'));
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM ACT_GE_BYTEARRAY"), "2");
    apply(job, schema::completed(job));
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM ACT_GE_BYTEARRAY"), "0");

    insert(JobPlace::dead_letter, a_job("d").with_payload(payload));
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::dead_letter, std::vector<std::string>{"d"}, now_),
        ElementsAre(JobAnswer::done)
    );
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM ACT_GE_BYTEARRAY"), "0");
}

TEST_P(FlowablesTables, Differ_from_ours_in_what_the_check_tells) {
    take_over();
    const auto about_defaults = Contains(HasSubstr("the defaults of"));
    if (GetParam() == "sqlite") {
        // Which cannot change a default, and where no engine is.
        EXPECT_THAT(
            differences_of(*connection_),
            Contains("the defaults of ACT_GE_BYTEARRAY differ: REV_ has none and not 1")
        );
    } else {
        EXPECT_THAT(differences_of(*connection_), Not(about_defaults));
    }
    EXPECT_THAT(
        remarks_of(*connection_),
        Contains("the index ACT_IDX_JOB_SCOPE of ACT_RU_JOB (SCOPE_ID_) is not "
                 "Jobstrand's: every insert and delete writes it")
    );
}

// R045 R051
TEST_P(FlowablesTables, Serve_acquisition_by_priority_with_its_index) {
    take_over();
    EXPECT_TRUE(persistence::create_index(*connection_, schema::kPriorityIndex));
    store_.enqueuer().insert(
        {{JobPlace::executable, a_job("a").with_priority(-1)},
         {JobPlace::executable, a_job("b").with_priority(1)}},
        IdOrigin::given
    );
    const std::vector<Job> jobs = store_.executor().acquire_in_order(
        {.owner = "node", .until = now_ + 5min},
        std::vector<std::string>{"noop"},
        {.by_priority = true},
        10
    );
    ASSERT_EQ(jobs.size(), 2U);
    EXPECT_EQ(jobs[0].id, "b");
    EXPECT_TRUE(persistence::drop_index(*connection_, schema::kPriorityIndex));
}

class FlowablesTablesOnMysql : public FlowablesTables {};

ON_MYSQL(FlowablesTablesOnMysql);

TEST_P(FlowablesTablesOnMysql, Hold_no_characters_of_four_bytes) {
    take_over();
    const Job job = a_job("a").with_payload("\xF0\x9F\x98\x80");
    expect_error(DbErrorKind::too_long, [&] { insert(JobPlace::executable, job); });
}

TEST_P(FlowablesTablesOnMysql, Hold_every_character_after_the_statements_of_the_check) {
    take_over();
    EXPECT_THAT(
        differences_of(*connection_),
        Contains(AllOf(
            HasSubstr("HANDLER_CFG_"),
            HasSubstr("of ACT_RU_JOB cannot hold every character, such as emoji: their "
                      "collation is utf8")
        ))
    );
    mend_differences(*connection_);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
    const std::string emoji = "\xF0\x9F\x98\x80";
    insert(JobPlace::executable, a_job("a").with_payload(emoji));
    EXPECT_EQ(acquire().payload, emoji);
    EXPECT_EQ(text_of("SELECT RETRIES_ FROM ACT_RU_JOB WHERE ID_ = 'theirs'"), "2");
}

class FlowablesTablesOnPostgresql : public FlowablesTables {};

ON_POSTGRESQL(FlowablesTablesOnPostgresql);

TEST_P(FlowablesTablesOnPostgresql, Compare_ids_byte_by_byte_after_the_statements_of_the_check) {
    take_over();
    EXPECT_THAT(
        differences_of(*connection_),
        Contains("ID_, EXECUTION_ID_, PROCESS_INSTANCE_ID_, PROC_DEF_ID_, "
                 "EXCEPTION_STACK_ID_, CUSTOM_VALUES_ID_ of ACT_RU_DEADLETTER_JOB do not "
                 "compare byte by byte: their collation is default")
    );
    mend_differences(*connection_);
    EXPECT_THAT(differences_of(*connection_), IsEmpty());
    EXPECT_EQ(text_of("SELECT RETRIES_ FROM ACT_RU_JOB WHERE ID_ = 'theirs'"), "2");
}

TEST_P(FlowablesTablesOnPostgresql, May_hold_bytes_that_are_no_text) {
    take_over();
    execute(
        "INSERT INTO ACT_GE_BYTEARRAY (ID_, NAME_, BYTES_) "
        "VALUES ('java', 'jobCustomValues', '\\xaced0005ff00')"
    );
    execute(
        "INSERT INTO ACT_RU_JOB (ID_, TYPE_, HANDLER_TYPE_, CUSTOM_VALUES_ID_) "
        "VALUES ('bytes', 'message', 'noop', 'java')"
    );
    const std::string bytes("\xac\xed\x00\x05\xff\x00", 6);
    EXPECT_EQ(acquire().payload, bytes);
    EXPECT_EQ(store_.jobs().find("bytes").value().job.payload, bytes);
}

/// Where an engine has jobs of its own.
class SharedTables : public FlowablesTables {
protected:
    void prepare() override {
        FlowablesTables::prepare();
        take_over();
        execute("DELETE FROM ACT_RU_JOB");
        execute("INSERT INTO ACT_RE_PROCDEF (ID_) VALUES ('process:1')");
    }

    /// An execution of the engine that counts so many jobs of these places.
    void an_execution(std::string_view id, int jobs, int timers, int dead) {
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

    /// A job of it, as an engine writes it.
    void a_job_of(std::string_view execution, std::string_view table, std::string_view id) {
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

    /// REV_, and behind it one digit for each place.
    std::string counts_of(std::string_view execution) {
        return text_of(fmt::format(
            "SELECT CONCAT(REV_, ' ', JOB_COUNT_, TIMER_JOB_COUNT_, SUSP_JOB_COUNT_, "
            "DEADLETTER_JOB_COUNT_, EXTERNAL_WORKER_JOB_COUNT_) FROM ACT_RU_EXECUTION WHERE ID_ = "
            "'{}'",
            execution
        ));
    }
};

ON_EVERY_SERVER(SharedTables);

TEST_P(SharedTables, Mark_our_rows_as_ours_also_those_of_a_plain_insert) {
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_TYPE_) VALUES ('plain', 'noop')");
    EXPECT_EQ(
        text_of("SELECT CONCAT(SCOPE_TYPE_, ' ', REV_, ' ', TYPE_, ' ', RETRIES_) FROM ACT_RU_JOB "
                "WHERE ID_ = 'plain'"),
        "jobstrand 1 message 3"
    );
    insert(JobPlace::timer, a_job("a").due_at(now_));
    EXPECT_EQ(text_of("SELECT SCOPE_TYPE_ FROM ACT_RU_TIMER_JOB"), "jobstrand");
}

TEST_P(SharedTables, Take_the_statements_that_nodes_need) {
    const auto connection = pool_.lease(SessionPool::Access::write);
    EXPECT_NO_THROW(persistence::require_statements(*connection, schedule_, {}));
}

TEST_P(SharedTables, Keep_instance_definition_and_execution_of_our_jobs_without_a_foreign_key) {
    Job job = a_job("a");
    job.process_instance_id = "order-17";
    job.process_definition_id = "shipping:3";
    job.execution_id = "branch-2";
    insert(JobPlace::executable, job);
    EXPECT_EQ(
        text_of("SELECT CONCAT(SCOPE_ID_, ' ', SCOPE_DEFINITION_ID_, ' ', SUB_SCOPE_ID_) FROM "
                "ACT_RU_JOB WHERE PROCESS_INSTANCE_ID_ IS NULL AND PROC_DEF_ID_ IS NULL AND "
                "EXECUTION_ID_ IS NULL"),
        "order-17 shipping:3 branch-2"
    );
    const Job found = store_.jobs().find("a").value().job;
    EXPECT_EQ(found.process_instance_id, "order-17");
    EXPECT_EQ(found.process_definition_id, "shipping:3");
    EXPECT_EQ(found.execution_id, "branch-2");
    EXPECT_EQ(found.scope_id, "");

    const auto of_instance = persistence::SuspensionScope::instance;
    EXPECT_EQ(store_.jobs().suspend(of_instance, "order-17", now_), 1);
    EXPECT_EQ(text_of("SELECT SCOPE_ID_ FROM ACT_RU_SUSPENDED_JOB"), "order-17");
    EXPECT_EQ(store_.jobs().activate(of_instance, "order-17", now_), 1);
    EXPECT_EQ(acquire().process_instance_id, "order-17");
}

TEST_P(SharedTables, Have_timers_of_an_engine_that_are_moved_only_by_who_serves_them) {
    an_execution("e", 0, 1, 0);
    a_job_of("e", "ACT_RU_TIMER_JOB", "theirs");
    const persistence::ServedJobs others{{"noop"}};
    EXPECT_EQ(store_.timers().next_due(others), std::nullopt);
    EXPECT_EQ(store_.timers().move_due_timers(now_, 10, std::nullopt, others).moved, 0U);
    EXPECT_EQ(counts_of("e"), "1 01000");

    const persistence::ServedJobs engines{{"trigger-timer"}};
    EXPECT_NE(store_.timers().next_due(engines), std::nullopt);
    EXPECT_EQ(store_.timers().move_due_timers(now_, 10, std::nullopt, engines).moved, 1U);
    EXPECT_EQ(counts_of("e"), "2 10000");
    EXPECT_EQ(text_of("SELECT REPEAT_ FROM ACT_RU_JOB"), "R/PT1H");
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM JS_SERIES"), "0");
}

TEST_P(SharedTables, Have_the_jobs_of_each_execution_counted_through_all_moves) {
    an_execution("e", 0, 1, 0);
    a_job_of("e", "ACT_RU_TIMER_JOB", "theirs");
    EXPECT_EQ(store_.jobs().fire_timer("theirs", now_), JobAnswer::done);
    EXPECT_EQ(counts_of("e"), "2 10000");
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::executable, std::vector<std::string>{"theirs"}, now_),
        ElementsAre(JobAnswer::done)
    );
    EXPECT_EQ(counts_of("e"), "3 00000");
    execute("DELETE FROM ACT_RU_EXECUTION");  // No foreign key is in the way.
}

TEST_P(SharedTables, Have_instances_of_an_engine_that_only_it_suspends) {
    an_execution("e", 0, 0, 0);
    EXPECT_TRUE(store_.jobs().is_of_engine(persistence::SuspensionScope::instance, "e"));
    EXPECT_FALSE(store_.jobs().is_of_engine(persistence::SuspensionScope::instance, "order-17"));
    EXPECT_TRUE(store_.jobs().is_of_engine(persistence::SuspensionScope::definition, "process:1"));
}

TEST_P(
    SharedTables,
    Give_the_lock_of_an_instance_to_one_owner_and_from_one_node_of_ours_to_another
) {
    an_execution("e", 0, 0, 0);
    const auto take = [&](std::string_view owner) {
        return store_.engine().take_instance(
            {.instance = "e", .owner = owner, .now = now_, .until = now_ + 1min}
        );
    };
    EXPECT_TRUE(take("node"));
    EXPECT_TRUE(take("other"));
    store_.engine().free_instance("e", "node");
    EXPECT_EQ(text_of("SELECT LOCK_OWNER_ FROM ACT_RU_EXECUTION"), "jobstrand:other");
    store_.engine().free_instance("e", "other");
    execute("UPDATE ACT_RU_EXECUTION SET LOCK_OWNER_ = 'an engine', LOCK_TIME_ = '2030-01-01'");
    EXPECT_FALSE(take("node"));
    execute("UPDATE ACT_RU_EXECUTION SET LOCK_TIME_ = '2020-01-01'");
    EXPECT_TRUE(take("node"));
}

/// Where a ManagementService moves jobs: it copies Flowable's columns and REV_ alone, and makes the
/// row anew.
class MovedByEngine : public SharedTables {
protected:
    void move(std::string_view from, std::string_view to, std::string_view moved_at) {
        constexpr std::string_view kFlowables =  // But for RETRIES_, which dead letters lack.
            "ID_, TYPE_, HANDLER_TYPE_, REPEAT_, DUEDATE_, SCOPE_TYPE_, CORRELATION_ID_, "
            "EXCEPTION_MSG_";
        execute(fmt::format(
            "INSERT INTO {1} ({2}, REV_, CREATE_TIME_) SELECT {2}, REV_, '{3}' FROM {0}",
            from,
            to,
            kFlowables,
            moved_at
        ));
        execute(fmt::format("DELETE FROM {}", from));
    }

    /// The turn of a series that comes each day.
    void a_turn() {
        persistence::NewSeries nightly;
        nightly.series.key = "nightly";
        nightly.series.repeat = "R/P1D";
        nightly.first_turn = a_job("first")
                                 .with_priority(7)
                                 .with_retry_cycle("R5/PT1M")
                                 .under_root("order-17")
                                 .of_definition("shipping:3")
                                 .due_at(now_ + 1h);
        store_.enqueuer().create({nightly}, now_);
    }

    /// What is told of a job that is acquired.
    std::string told_of(std::string_view id) {
        const std::size_t before = log_.lines().size();
        const Job job = acquire();
        EXPECT_EQ(job.id, id);
        apply(job, schema::completed(job));
        const bool is_told = log_.lines().size() > before;
        return is_told ? log_.lines().back().message : "";
    }

    static constexpr std::string_view kNow = "2026-01-01 00:00:00";
};

ON_EVERY_SERVER(MovedByEngine);

TEST_P(MovedByEngine, A_turn_of_a_series_keeps_its_series_and_what_only_our_columns_hold) {
    a_turn();
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    const Job job = acquire();
    EXPECT_EQ(job.series, "nightly");
    EXPECT_EQ(job.priority, 7);
    EXPECT_EQ(job.retry_cycle, "R5/PT1M");
    EXPECT_EQ(job.root_process_instance_id, "order-17");
    EXPECT_THAT(log_.lines(), IsEmpty());
    fail(job, "");
    EXPECT_EQ(
        text_of("SELECT CONCAT(SERIES_, ' ', PRIORITY_, ' ', RETRY_CYCLE_, ' ', RETRIES_) FROM "
                "ACT_RU_TIMER_JOB"),
        "nightly 7 R5/PT1M 4"
    );
}

TEST_P(MovedByEngine, A_turn_of_a_series_hands_on_what_it_has_got_back) {
    a_turn();
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    EXPECT_EQ(told_of("first"), "");
    EXPECT_EQ(
        text_of("SELECT CONCAT(SERIES_, ' ', PRIORITY_, ' ', RETRY_CYCLE_, ' ', "
                "ROOT_PROC_INST_ID_) FROM ACT_RU_TIMER_JOB"),
        "nightly 7 R5/PT1M order-17"
    );
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM JS_SERIES"), "1");
}

TEST_P(MovedByEngine, A_turn_of_a_series_has_what_it_was_given_last) {
    a_turn();
    const persistence::ManyChanges changes{
        .fields = {
            schema::set_to(&Job::priority, 8), schema::set_to(&Job::retry_cycle, "R2/PT1M")}};
    EXPECT_THAT(
        store_.jobs().change_all(JobPlace::timer, std::vector<std::string>{"first"}, changes, now_),
        ElementsAre(JobAnswer::done)
    );
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    const Job job = acquire();
    EXPECT_EQ(job.priority, 8);
    EXPECT_EQ(job.retry_cycle, "R2/PT1M");
}

TEST_P(MovedByEngine, A_turn_of_a_series_has_the_priority_of_an_override) {
    a_turn();
    (void)store_.definitions().override_priorities(
        {.definition = "shipping:3"}, -10, {.place = JobPlace::timer}, now_
    );
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    EXPECT_EQ(acquire().priority, -10);
}

TEST_P(MovedByEngine, The_log_tells_of_each_job_that_has_lost_what_only_our_columns_hold) {
    const auto is_told = HasSubstr("retry cycle, unique key");
    const std::string ours = schema::Uuid7Source(1).next(now_);
    const auto a_timer = [&](const std::string& id) {
        insert(JobPlace::timer, a_job(id).due_at(now_ + 1h));
    };
    a_timer("early");
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    EXPECT_THAT(told_of("early"), is_told);
    EXPECT_EQ(log_.lines().back().fields, "job=early handler_type=noop ");

    a_timer(ours);
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", "2026-01-01 02:00:00");
    EXPECT_THAT(told_of(ours), is_told) << "it was overdue";

    insert(JobPlace::suspended, a_job(ours));
    move("ACT_RU_SUSPENDED_JOB", "ACT_RU_JOB", "2026-01-01 02:00:00");
    EXPECT_THAT(told_of(ours), is_told) << "it was suspended";

    insert(JobPlace::executable, a_job("dead").with_retries(1));
    fail(acquire(), "");
    execute("UPDATE ACT_RU_DEADLETTER_JOB SET DUEDATE_ = NULL");
    move("ACT_RU_DEADLETTER_JOB", "ACT_RU_JOB", kNow);
    EXPECT_THAT(told_of("dead"), is_told);

    insert(JobPlace::executable, a_job("failing"));
    fail(acquire(), "");
    execute("UPDATE ACT_RU_TIMER_JOB SET DUEDATE_ = '2035-01-01'");
    move("ACT_RU_TIMER_JOB", "ACT_RU_JOB", kNow);
    EXPECT_THAT(told_of("failing"), is_told) << "it waited for a retry";
}

TEST_P(MovedByEngine, The_log_tells_of_a_dead_letter_that_goes_to_external_workers) {
    Job job = a_job("external");
    job.type = schema::kExternalWorkerType;
    insert(JobPlace::external_worker, job);
    execute("UPDATE ACT_RU_EXTERNAL_JOB SET EXCEPTION_MSG_ = 'no paper'");
    move("ACT_RU_EXTERNAL_JOB", "ACT_RU_DEADLETTER_JOB", kNow);
    move("ACT_RU_DEADLETTER_JOB", "ACT_RU_EXTERNAL_JOB", kNow);
    const std::vector<std::string> topics{"noop"};
    const auto taken = store_.workers().acquire_external(
        {.owner = "worker", .until = now_ + 5min}, {.topics = topics}, 1, now_
    );
    ASSERT_EQ(taken.size(), 1U);
    EXPECT_THAT(log_.lines().back().message, HasSubstr("jobstrand dead requeue"));
}

TEST_P(MovedByEngine, The_log_tells_nothing_of_what_our_verbs_move_or_comes_as_it_is) {
    const std::string ours = schema::Uuid7Source(1).next(now_);
    insert(JobPlace::timer, a_job("fired").due_at(now_ + 1h));
    EXPECT_EQ(store_.jobs().fire_timer("fired", now_), JobAnswer::done);
    EXPECT_EQ(told_of("fired"), "");
    insert(JobPlace::executable, a_job(ours).due_at(now_ - 1h));
    EXPECT_EQ(told_of(ours), "") << "it was late from the beginning";
    insert(JobPlace::executable, a_job("cancelled"));
    const std::vector<std::string> ids{"cancelled"};
    (void)store_.jobs().cancel(JobPlace::executable, ids, "anna", now_);
    EXPECT_THAT(store_.jobs().requeue(ids, 3, {}, now_ + 1s), ElementsAre(JobAnswer::done));
    EXPECT_EQ(told_of("cancelled"), "");
}

TEST_P(SharedTables, Are_as_they_must_be_whatever_texts_and_indexes_the_columns_of_an_engine_have) {
    const auto connection = connect();  // Which sees that there is an engine.
    EXPECT_THAT(differences_of(*connection), IsEmpty());
    EXPECT_THAT(remarks_of(*connection), Not(Contains(HasSubstr("ACT_IDX_JOB_SCOPE"))));
}

TEST_P(SharedTables, Are_told_from_what_an_engine_has_left_half_made) {
    const auto about_mixture = Contains(HasSubstr("give it an empty database"));
    EXPECT_THAT(differences_of(*connection_), Not(about_mixture));
    for (const JobPlace place : schema::kJobPlaces) {
        connection_->run_script(fmt::format("DROP TABLE {}", schema::table_of(place)));
    }
    connection_->run_script("DROP TABLE ACT_RU_EXECUTION");
    EXPECT_THAT(differences_of(*connection_), about_mixture);
}

// What is suspended, overridden and told of the past, where an engine has jobs of its own.

class ScopesOfSharedTables : public SharedTables {
protected:
    static Job of_shipping(std::string id) {
        Job job = a_job(std::move(id));
        job.process_instance_id = "order-17";
        job.process_definition_id = "shipping:3";
        job.element_id = "charge";
        job.tenant_id = "acme";
        return job;
    }
};

ON_EVERY_SERVER(ScopesOfSharedTables);

TEST_P(ScopesOfSharedTables, Have_only_our_jobs_suspended_with_a_tenant) {
    an_execution("e", 1, 1, 0);
    a_job_of("e", "ACT_RU_JOB", "theirs");
    a_job_of("e", "ACT_RU_TIMER_JOB", "their-timer");
    execute("UPDATE ACT_RU_JOB SET TENANT_ID_ = 'acme'");
    execute("UPDATE ACT_RU_TIMER_JOB SET TENANT_ID_ = 'acme'");
    insert(JobPlace::executable, of_shipping("ours"));
    EXPECT_EQ(store_.jobs().suspend(SuspensionScope::tenant, "acme", now_), 1);
    EXPECT_EQ(text_of("SELECT ID_ FROM ACT_RU_SUSPENDED_JOB"), "ours");
    EXPECT_EQ(counts_of("e"), "1 11000");

    EXPECT_EQ(store_.jobs().fire_timer("their-timer", now_), JobAnswer::done);
    EXPECT_EQ(counts_of("e"), "2 20000");
    EXPECT_EQ(store_.jobs().activate(SuspensionScope::tenant, "acme", now_), 1);
    EXPECT_EQ(text_of("SELECT SCOPE_ID_ FROM ACT_RU_JOB WHERE ID_ = 'ours'"), "order-17");
}

TEST_P(ScopesOfSharedTables, Have_kinds_and_single_jobs_of_ours_suspended_where_they_stand) {
    Job job = of_shipping("ours");
    job.due_date = now_ + 1h;
    insert(JobPlace::timer, job);
    for (const auto& [scope, id] :
         {std::pair{SuspensionScope::job_definition, "shipping:3/charge"},
          std::pair{SuspensionScope::definition, "shipping:3"},
          std::pair{SuspensionScope::job, "ours"}}) {
        EXPECT_FALSE(store_.jobs().is_of_engine(scope, id));
        EXPECT_EQ(store_.jobs().suspend(scope, id, now_), 1) << id;
        EXPECT_EQ(text_of("SELECT SCOPE_DEFINITION_ID_ FROM ACT_RU_SUSPENDED_JOB"), "shipping:3");
        EXPECT_EQ(store_.jobs().activate(scope, id, now_), 1) << id;
    }
    EXPECT_EQ(text_of("SELECT SCOPE_DEFINITION_ID_ FROM ACT_RU_TIMER_JOB"), "shipping:3");
}

TEST_P(ScopesOfSharedTables, Have_jobs_and_kinds_of_an_engine_that_only_it_suspends) {
    an_execution("e", 0, 0, 1);
    a_job_of("e", "ACT_RU_DEADLETTER_JOB", "theirs");
    EXPECT_TRUE(store_.jobs().is_of_engine(SuspensionScope::job, "theirs"));
    EXPECT_TRUE(store_.jobs().is_of_engine(SuspensionScope::job_definition, "process:1/task"));
    EXPECT_TRUE(store_.jobs().is_of_engine(SuspensionScope::new_of_definition, "process:1"));
    EXPECT_FALSE(store_.jobs().is_of_engine(SuspensionScope::tenant, "acme"));
    EXPECT_EQ(store_.jobs().suspend(SuspensionScope::job, "theirs", now_), 0);
}

TEST_P(ScopesOfSharedTables, Have_priorities_that_an_override_finds_for_both) {
    an_execution("e", 1, 0, 0);
    a_job_of("e", "ACT_RU_JOB", "theirs");
    insert(JobPlace::executable, of_shipping("ours"));
    for (const std::string definition : {"process:1", "shipping:3"}) {
        const auto step = store_.definitions().override_priorities(
            {.definition = definition}, 7, {.place = JobPlace::executable}, now_
        );
        EXPECT_EQ(step.changed, 1) << definition;
    }
    EXPECT_EQ(text_of("SELECT SUM(PRIORITY_) FROM ACT_RU_JOB"), "14");
    EXPECT_EQ(text_of("SELECT REV_ FROM ACT_RU_JOB WHERE ID_ = 'theirs'"), "1");
    EXPECT_EQ(counts_of("e"), "1 10000");
}

TEST_P(ScopesOfSharedTables, Keep_the_past_of_both_apart_from_the_rows_of_an_engine) {
    an_execution("e", 0, 0, 1);
    a_job_of("e", "ACT_RU_DEADLETTER_JOB", "theirs");
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::dead_letter, std::vector<std::string>{"theirs"}, now_),
        ElementsAre(JobAnswer::done)
    );
    EXPECT_EQ(text_of("SELECT PROCESS_INSTANCE_ID_ FROM ACT_HI_JOB_LOG"), "e");
    EXPECT_EQ(counts_of("e"), "2 00000");
    execute("DELETE FROM ACT_RU_EXECUTION");  // The line of the log is not in the way.

    Job job = of_shipping("ours");
    job.retries = 1;
    insert(JobPlace::executable, job);
    fail(acquire(), "boom");
    EXPECT_EQ(
        text_of("SELECT CONCAT(PROC_INST_ID_, ' ', PROC_DEF_ID_) FROM ACT_RU_INCIDENT"),
        "order-17 shipping:3"
    );
    EXPECT_EQ(text_of("SELECT SCOPE_ID_ FROM ACT_RU_DEADLETTER_JOB"), "order-17");
}

}  // namespace

}  // namespace jobstrand::test
