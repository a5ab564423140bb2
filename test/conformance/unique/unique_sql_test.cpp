#include "persistence/sql/db_error.hpp"
#include "persistence/sql/dialect.hpp"
#include "test/conformance/unique/unique_fixture.hpp"

#include <fstream>
#include <sstream>

namespace jobstrand::test {

namespace {

using testing::ElementsAre;
using testing::SizeIs;

constexpr std::string_view kPage = JOBSTRAND_SOURCE_DIR "/docs/unique-keys.md";

/// The SQL of the page for one database, block by block.
std::vector<std::string> blocks_for(std::string_view database) {
    std::ifstream file{std::string(kPage)};
    std::vector<std::string> blocks;
    bool is_inside = false;
    for (std::string line; std::getline(file, line);) {
        if (line == "```sql " + std::string(database)) {
            is_inside = true;
            blocks.emplace_back();
        } else if (line == "```") {
            is_inside = false;
        } else if (is_inside) {
            blocks.back() += line + '\n';
        }
    }
    return blocks;
}

/// Unique keys that apps write themselves, as docs/unique-keys.md says (B8).
class UniqueKeySql : public UniqueTest {
protected:
    /// On a connection of its own, as an app's.
    void run_sql(const std::string& block) {
        const auto app = database_->connect(persistence::SessionPool::Access::write);
        std::istringstream statements(block);
        for (std::string statement; std::getline(statements, statement, ';');) {
            if (statement.find_first_not_of(" \n") != std::string::npos) {
                app->run_script(statement);
            }
        }
    }

    std::vector<std::string> blocks_ = blocks_for(connection_->dialect().name);
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    UniqueKeySql,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// B8
TEST_P(UniqueKeySql, The_statements_of_the_page_add_a_job_once) {
    ASSERT_THAT(blocks_, SizeIs(2));
    run_sql(blocks_[0]);
    EXPECT_EQ(place_of("mail-1"), "executable");
    EXPECT_EQ(place_of("mail-2"), "nowhere") << "the first one was kept";
    EXPECT_EQ(owner_of("order-17"), "mail-1");
    EXPECT_THROW(run_sql(blocks_[0]), persistence::DbError) << "the first transaction is refused";
    EXPECT_EQ(count_rows("ACT_RU_JOB"), 1);
    EXPECT_EQ(
        refusal_of(a_job("b").with_key("order-17")), "job mail-1 has the unique key order-17"
    );
}

// B8
TEST_P(UniqueKeySql, The_end_of_a_job_from_SQL_frees_its_key) {
    run_sql(blocks_.at(0));
    complete("mail-1");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
    run_sql(blocks_[0]);
    make_dead("mail-1");
    EXPECT_EQ(count_rows("JS_UNIQUE"), 0);
}

TEST_P(UniqueKeySql, A_period_from_SQL_holds_until_its_end) {
    run_sql(blocks_.at(1));
    const auto owner = store_.jobs().key_owner("digest-17");
    ASSERT_TRUE(owner && owner->until);
    complete("digest-1");
    EXPECT_EQ(owner_of("digest-17"), "digest-1");
    EXPECT_THROW(run_sql(blocks_[1]), persistence::DbError);
    execute("UPDATE JS_UNIQUE SET UNTIL_ = '2001-01-01 00:00:00.000'");
    run_sql(blocks_[1]);
    EXPECT_EQ(place_of("digest-1"), "executable");
}

TEST_P(UniqueKeySql, A_job_from_SQL_makes_room_for_one_that_replaces_it) {
    run_sql(blocks_.at(0));
    EXPECT_EQ(enqueue(a_job("b").with_key("order-17"), kReplace).replaced, "mail-1");
    EXPECT_EQ(owner_of("order-17"), "b");
}

}  // namespace

}  // namespace jobstrand::test
