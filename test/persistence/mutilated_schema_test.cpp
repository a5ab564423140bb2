#include "persistence/migration/ddl.hpp"
#include "persistence/migration/schema_migration.hpp"
#include "persistence/migration/table_changes.hpp"
#include "schema/tables.hpp"
#include "test/persistence/adapter_test.hpp"
#include "test/persistence/schema_differences.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

namespace jobstrand::test {

namespace {

using persistence::upgrade_schema;
using testing::EndsWith;
using testing::StartsWith;

/// Tables that somebody has changed by hand: the check must tell each change, on every database.
class MutilatedSchema : public AdapterTest {
protected:
    void prepare() override { upgrade_schema(*connection_); }

    /// Makes ACT_RU_JOB anew, with other words for one of its parts: a column with what it refuses,
    /// or PRIMARY.
    void make_jobs_with(std::string_view line_of, std::string_view words) {
        const schema::Table& table = schema::tables().front();
        std::string sql = create_table(table, connection_->dialect());
        const std::size_t start = sql.find(fmt::format("\n    {} ", line_of)) + 1;
        const bool is_last = line_of == "PRIMARY";
        const std::size_t end = sql.find(is_last ? "\n" : ",\n", start);
        ASSERT_NE(start, 0U);
        sql.replace(start, end - start, fmt::format("    {}", words));
        connection_->run_script("DROP TABLE ACT_RU_JOB");
        connection_->run_script(sql);
    }

    void make_column(std::string_view name, std::string_view definition) {
        make_jobs_with(name, fmt::format("{} {}", name, definition));
    }

    void drop_due_index() {
        const schema::Table& timers = schema::tables()[1];
        connection_->run_script(drop_index(
            {.name = {}, .table = timers.name, .index = timers.indexes.front()},
            connection_->dialect()
        ));
    }

    void expect_told(const testing::Matcher<std::vector<std::string>>& differences) {
        EXPECT_THAT(differences_of(*connection_), differences);
    }

    /// The statements of the check put all in order.
    void expect_index_mended() {
        mend_differences(*connection_);
        expect_told(IsEmpty());
    }

    /// The same where columns can be changed.
    void expect_mended() {
        if (GetParam() != "sqlite") {
            expect_index_mended();
        }
    }
};

ON_EVERY_DATABASE(MutilatedSchema);

TEST_P(MutilatedSchema, Lacks_its_key) {
    make_jobs_with("PRIMARY", "CHECK (1 = 1)");
    expect_told(ElementsAre("the primary key of ACT_RU_JOB is missing: (ID_)"));
    expect_mended();
}

TEST_P(MutilatedSchema, Has_another_key) {
    make_jobs_with("PRIMARY", "PRIMARY KEY (TYPE_, ID_)");
    expect_told(ElementsAre("the primary key of ACT_RU_JOB is (TYPE_, ID_), and not (ID_)"));
}

TEST_P(MutilatedSchema, Has_a_column_that_is_too_narrow) {
    make_column("CATEGORY_", "varchar(100)");
    expect_told(ElementsAre(AllOf(
        StartsWith("the column ACT_RU_JOB.CATEGORY_ has the type "),
        HasSubstr("(100), which is too narrow: ")
    )));
    expect_mended();
}

TEST_P(MutilatedSchema, Has_a_column_of_another_type) {
    make_column("RETRIES_", "varchar(255) DEFAULT '3'");
    expect_told(Contains(AllOf(
        StartsWith("the column ACT_RU_JOB.RETRIES_ has the type "),
        EndsWith("(255), which cannot hold its values")
    )));
}

TEST_P(MutilatedSchema, May_have_wider_columns) {
    make_column("CATEGORY_", GetParam() == "mysql" ? "varchar(400)" : "text");
    expect_told(IsEmpty());
    make_column("REV_", "bigint DEFAULT 1");
    expect_told(IsEmpty());
}

TEST_P(MutilatedSchema, Allows_null_where_it_must_not_be) {
    make_column("PRIORITY_", "bigint DEFAULT 0");
    expect_told(ElementsAre("the column ACT_RU_JOB.PRIORITY_ may be NULL, and must not be"));
    expect_mended();
}

TEST_P(MutilatedSchema, Wants_a_value_where_jobs_have_none) {
    make_column("CATEGORY_", "varchar(255) NOT NULL");
    expect_told(
        ElementsAre("the column ACT_RU_JOB.CATEGORY_ is NOT NULL, and some rows have no value for "
                    "it")
    );
    expect_mended();
}

TEST_P(MutilatedSchema, Has_other_defaults) {
    make_column("RETRIES_", "integer DEFAULT 5");
    expect_told(ElementsAre("the defaults of ACT_RU_JOB differ: RETRIES_ has 5 and not 3"));
    expect_mended();
    make_column("RETRIES_", "integer");
    expect_told(ElementsAre("the defaults of ACT_RU_JOB differ: RETRIES_ has none and not 3"));
    expect_mended();
    make_column("CATEGORY_", "varchar(255) DEFAULT 'x'");
    expect_told(ElementsAre(AllOf(HasSubstr("CATEGORY_ has 'x'"), EndsWith("and not none"))));
    expect_mended();
}

TEST_P(MutilatedSchema, Has_an_index_on_another_column) {
    drop_due_index();
    connection_->run_script("CREATE INDEX JS_IDX_TIMER_DUE ON ACT_RU_TIMER_JOB (CREATE_TIME_)");
    expect_told(
        ElementsAre("the index JS_IDX_TIMER_DUE of ACT_RU_TIMER_JOB is on (CREATE_TIME_), and not "
                    "on (DUEDATE_)")
    );
    expect_index_mended();
}

TEST_P(MutilatedSchema, Has_an_index_with_more_columns_or_in_another_direction) {
    for (const std::string columns : {"DUEDATE_, ID_", "DUEDATE_ DESC"}) {
        drop_due_index();
        connection_->run_script(
            fmt::format("CREATE INDEX JS_IDX_TIMER_DUE ON ACT_RU_TIMER_JOB ({})", columns)
        );
        expect_told(ElementsAre(HasSubstr(fmt::format("on ({})", columns))));
        expect_index_mended();
    }
}

TEST_P(MutilatedSchema, Has_an_index_that_refuses_rows) {
    drop_due_index();
    connection_->run_script("CREATE UNIQUE INDEX JS_IDX_TIMER_DUE ON ACT_RU_TIMER_JOB (DUEDATE_)");
    expect_told(
        ElementsAre("the index JS_IDX_TIMER_DUE of ACT_RU_TIMER_JOB is unique, and must not be")
    );
    expect_index_mended();
}

TEST_P(MutilatedSchema, Has_an_optional_index_with_its_columns_in_another_order) {
    connection_->run_script("CREATE INDEX JS_IDX_JOB_PRIORITY ON ACT_RU_JOB (ID_, PRIORITY_)");
    expect_told(
        ElementsAre("the index JS_IDX_JOB_PRIORITY of ACT_RU_JOB is on (ID_, PRIORITY_), and not "
                    "on (PRIORITY_, ID_)")
    );
    expect_index_mended();
    EXPECT_TRUE(persistence::has_index(*connection_, schema::kPriorityIndex));
}

TEST_P(MutilatedSchema, Compares_ids_otherwise_than_byte_by_byte) {
    const std::map<std::string_view, std::string_view, std::less<>> collations{
        {"sqlite", "NOCASE"}, {"mysql", "utf8mb4_general_ci"}, {"postgresql", "\"en-x-icu\""}};
    make_column("ID_", fmt::format("varchar(64) COLLATE {} NOT NULL", collations.at(GetParam())));
    expect_told(ElementsAre(
        StartsWith("ID_ of ACT_RU_JOB do not compare byte by byte: their collation is ")
    ));
    expect_mended();
}

TEST_P(MutilatedSchema, Has_the_tables_of_another_version) {
    execute("UPDATE ACT_GE_PROPERTY SET VALUE_ = '1' WHERE NAME_ = 'jobstrand.schema.version'");
    const std::string end = fmt::format(
        ", and not {}: `jobstrand schema upgrade` raises it, and never lowers it",
        schema::kSchemaVersion
    );
    expect_told(ElementsAre("the version of the tables is 1" + end));
    execute("UPDATE ACT_GE_PROPERTY SET VALUE_ = 'one'");
    expect_told(ElementsAre("the version of the tables is one" + end));
    execute("DELETE FROM ACT_GE_PROPERTY");
    expect_told(ElementsAre("the version of the tables is unknown" + end));
}

TEST_P(MutilatedSchema, Has_a_column_of_others_that_keeps_every_row_out) {
    make_jobs_with("PRIMARY", "INVOICE_ integer NOT NULL, PRIMARY KEY (ID_)");
    expect_told(
        ElementsAre("the column ACT_RU_JOB.INVOICE_, which is not Jobstrand's, is NOT NULL without "
                    "a default: no row can be inserted")
    );
    make_jobs_with("PRIMARY", "INVOICE_ integer DEFAULT 0 NOT NULL, PRIMARY KEY (ID_)");
    expect_told(IsEmpty());
}

TEST_P(MutilatedSchema, Has_indexes_of_others_which_are_remarks) {
    connection_->run_script("CREATE INDEX APP_IDX ON ACT_RU_JOB (TENANT_ID_, ID_)");
    connection_->run_script("CREATE UNIQUE INDEX APP_KEY ON ACT_RU_JOB (ID_, CATEGORY_)");
    expect_told(IsEmpty());
    EXPECT_THAT(
        remarks_of(*connection_),
        testing::IsSupersetOf(
            {std::string("the index APP_IDX of ACT_RU_JOB (TENANT_ID_, ID_) is not Jobstrand's: "
                         "every insert "
                         "and delete writes it"),
             std::string("the unique index APP_KEY of ACT_RU_JOB (ID_, CATEGORY_) is not "
                         "Jobstrand's: every insert and delete writes it")}
        )
    );
}

TEST_P(MutilatedSchema, Is_told_with_all_that_is_wrong_with_it_at_once) {
    make_column("CATEGORY_", "varchar(10) NOT NULL DEFAULT 'x'");
    drop_due_index();
    expect_told(ElementsAre(
        HasSubstr("too narrow"),
        HasSubstr("NOT NULL"),
        HasSubstr("the defaults"),
        HasSubstr("JS_IDX_TIMER_DUE")
    ));
    expect_mended();
}

class MutilatedMysqlSchema : public MutilatedSchema {};

ON_MYSQL(MutilatedMysqlSchema);

TEST_P(MutilatedMysqlSchema, Cannot_hold_every_character) {
    connection_->run_script(
        "ALTER TABLE ACT_RU_JOB MODIFY HANDLER_CFG_ varchar(4000) CHARACTER SET utf8mb3 "
        "COLLATE utf8mb3_bin, MODIFY EXCEPTION_MSG_ varchar(4000) CHARACTER SET utf8mb3 "
        "COLLATE utf8mb3_bin"
    );
    expect_told(
        ElementsAre("EXCEPTION_MSG_, HANDLER_CFG_ of ACT_RU_JOB cannot hold every character, such "
                    "as emoji: their collation is utf8mb3_bin")
    );
    expect_mended();
    execute("INSERT INTO ACT_RU_JOB (ID_, HANDLER_CFG_) VALUES ('a', '\xF0\x9F\x98\x80')");
}

TEST_P(MutilatedMysqlSchema, Takes_texts_that_differ_in_case_for_the_same) {
    connection_->run_script(
        "ALTER TABLE ACT_RU_JOB MODIFY HANDLER_TYPE_ varchar(255) COLLATE utf8mb4_general_ci"
    );
    expect_told(
        ElementsAre("HANDLER_TYPE_ of ACT_RU_JOB do not compare byte by byte: their collation is "
                    "utf8mb4_general_ci")
    );
    expect_mended();
}

TEST_P(MutilatedMysqlSchema, Has_times_without_milliseconds) {
    connection_->run_script("ALTER TABLE ACT_RU_TIMER_JOB MODIFY DUEDATE_ timestamp NULL");
    expect_told(
        ElementsAre("the column ACT_RU_TIMER_JOB.DUEDATE_ has the type timestamp, which is too "
                    "narrow: timestamp(3)")
    );
    expect_mended();
}

}  // namespace

}  // namespace jobstrand::test
