#include "persistence/drivers/driver.hpp"
#include "test/conformance/store_test.hpp"

#include <algorithm>

namespace jobstrand::test {

namespace {

using persistence::Diagnostics;
using persistence::Driver;

/// What `doctor` asks a database about itself.
class Symptoms : public StoreTest {
protected:
    [[nodiscard]] static const Driver& driver() { return *GetParam().driver; }

    [[nodiscard]] static const Diagnostics::Symptom& symptom(std::string_view name) {
        return *std::ranges::find(driver().diagnostics.symptoms, name, &Diagnostics::Symptom::name);
    }
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryDatabase,
    Symptoms,
    testing::ValuesIn(databases_under_test()),
    name_of_database
);

// The first case, because MySQL and MariaDB go by what they have seen for a tenth of a second.
TEST_P(Symptoms, Find_who_keeps_a_transaction_open) {
    if (driver().has_one_writer) {
        GTEST_SKIP() << "its readers keep nothing but its log";
    }
    insert(JobPlace::executable, a_job("a"));
    const auto other = database_->connect(persistence::SessionPool::Access::write);
    other->begin();
    other->execute("UPDATE ACT_RU_JOB SET REV_ = 7 WHERE ID_ = 'a'", {});
    const auto answer = persistence::ask_about(*connection_, symptom("oldest transaction"));
    if (!answer.is_blind) {
        ASSERT_TRUE(answer.number.has_value()) << answer.error;
        EXPECT_GE(*answer.number, 0);
        EXPECT_THAT(answer.words, testing::HasSubstr(", user "));
    }
    other->rollback();
}

TEST_P(Symptoms, Are_all_answered) {
    const auto all = persistence::ask_about_all(*connection_, driver(), "there is no such file");
    const std::size_t logs = driver().diagnostics.log_suffix.empty() ? 0 : 1;
    EXPECT_EQ(all.size(), driver().diagnostics.symptoms.size() + logs);
    for (const auto& [one, answer] : all) {
        EXPECT_TRUE(answer.error.empty() || answer.is_blind) << one.name << ": " << answer.error;
        EXPECT_TRUE(!answer.is_blind || !one.grant.empty()) << one.name;
        EXPECT_FALSE(one.advice.empty()) << one.name;
    }
}

TEST_P(Symptoms, That_no_database_knows_are_told_as_errors) {
    const auto answer = persistence::ask_about(
        *connection_,
        {.name = "x",
         .unit = "",
         .sql = "SELECT X_, X_ FROM JS_NO_SUCH_TABLE",
         .most = 0,
         .advice = "",
         .or_sql = "SELECT Y_, Y_ FROM JS_NO_SUCH_TABLE"}
    );
    EXPECT_FALSE(answer.error.empty());
    EXPECT_FALSE(answer.number.has_value());
}

}  // namespace

}  // namespace jobstrand::test
