#include "persistence/migration/table_changes.hpp"
#include "test/persistence/migration/flowables_tables.hpp"
#include "test/persistence/migration/schema_differences.hpp"

namespace jobstrand::test {

namespace {

using namespace std::chrono_literals;
using persistence::IdOrigin;
using persistence::JobAnswer;
using schema::Job;
using schema::JobPlace;
using testing::ElementsAre;

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    FlowablesTables,
    testing::ValuesIn(kEveryDatabase),
    name_of_database
);

TEST_P(FlowablesTables, Are_refused_until_they_have_our_columns_and_are_kept_as_they_are) {
    EXPECT_EQ(persistence::schema_version(*connection_), std::nullopt);
    const auto refused = error_of([&] { persistence::require_current_schema(*connection_); });
    EXPECT_EQ(refused.kind(), persistence::DbErrorKind::schema_missing);
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
    store_.enqueuer().insert(
        {{JobPlace::executable, a_job("a").with_payload(payload).with_retries(3)}}, IdOrigin::given
    );

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

    store_.enqueuer().insert(
        {{JobPlace::dead_letter, a_job("d").with_payload(payload)}}, IdOrigin::given
    );
    EXPECT_THAT(
        store_.jobs().remove(JobPlace::dead_letter, std::vector<std::string>{"d"}, now_),
        ElementsAre(JobAnswer::done)
    );
    EXPECT_EQ(text_of("SELECT COUNT(*) FROM ACT_GE_BYTEARRAY"), "0");
}

TEST_P(FlowablesTables, Differ_from_ours_in_what_the_check_tells) {
    take_over();
    const auto about_defaults = testing::Contains(testing::HasSubstr("the defaults of"));
    if (GetParam() == "sqlite") {
        // Which cannot change a default, and where no engine is.
        EXPECT_THAT(
            differences_of(*connection_),
            testing::Contains("the defaults of ACT_GE_BYTEARRAY differ: REV_ has none and not 1")
        );
    } else {
        EXPECT_THAT(differences_of(*connection_), testing::Not(about_defaults));
    }
    EXPECT_THAT(
        remarks_of(*connection_),
        testing::Contains("the index ACT_IDX_JOB_SCOPE of ACT_RU_JOB (SCOPE_ID_) is not "
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

INSTANTIATE_TEST_SUITE_P(
    OnMysql,
    FlowablesTablesOnMysql,
    testing::Values("mysql"),
    name_of_database
);

TEST_P(FlowablesTablesOnMysql, Hold_no_characters_of_four_bytes) {
    take_over();
    const Job job = a_job("a").with_payload("\xF0\x9F\x98\x80");
    EXPECT_EQ(
        error_of([&] {
            store_.enqueuer().insert({{JobPlace::executable, job}}, IdOrigin::given);
        }).kind(),
        persistence::DbErrorKind::too_long
    );
}

TEST_P(FlowablesTablesOnMysql, Hold_every_character_after_the_statements_of_the_check) {
    take_over();
    EXPECT_THAT(
        differences_of(*connection_),
        testing::Contains(testing::AllOf(
            testing::HasSubstr("HANDLER_CFG_"),
            testing::HasSubstr("of ACT_RU_JOB cannot hold every character, such as emoji: their "
                               "collation is utf8")
        ))
    );
    mend_differences(*connection_);
    EXPECT_THAT(differences_of(*connection_), testing::IsEmpty());
    const std::string emoji = "\xF0\x9F\x98\x80";
    store_.enqueuer().insert(
        {{JobPlace::executable, a_job("a").with_payload(emoji)}}, IdOrigin::given
    );
    EXPECT_EQ(acquire().payload, emoji);
    EXPECT_EQ(text_of("SELECT RETRIES_ FROM ACT_RU_JOB WHERE ID_ = 'theirs'"), "2");
}

class FlowablesTablesOnPostgresql : public FlowablesTables {};

INSTANTIATE_TEST_SUITE_P(
    OnPostgresql,
    FlowablesTablesOnPostgresql,
    testing::Values("postgresql"),
    name_of_database
);

TEST_P(FlowablesTablesOnPostgresql, Compare_ids_byte_by_byte_after_the_statements_of_the_check) {
    take_over();
    EXPECT_THAT(
        differences_of(*connection_),
        testing::Contains("ID_, EXECUTION_ID_, PROCESS_INSTANCE_ID_, PROC_DEF_ID_, "
                          "EXCEPTION_STACK_ID_, CUSTOM_VALUES_ID_ of ACT_RU_DEADLETTER_JOB do not "
                          "compare byte by byte: their collation is default")
    );
    mend_differences(*connection_);
    EXPECT_THAT(differences_of(*connection_), testing::IsEmpty());
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

}  // namespace

}  // namespace jobstrand::test
