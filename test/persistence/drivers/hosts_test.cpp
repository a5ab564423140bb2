#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

namespace jobstrand::persistence {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

/// Servers that are in order, or refuse in some way.
class HostsTest : public testing::Test {
protected:
    int connect() {
        return hosts_.connect([this](const DatabaseUrl& url) {
            asked_.push_back(url.host);
            if (const auto found = refusing_.find(url.host); found != refusing_.end()) {
                throw DbError(found->second, url.host + " refuses");
            }
            return url.port;
        });
    }

    [[nodiscard]] DbError error() {
        try {
            connect();
        } catch (const DbError& error) {
            return error;
        }
        ADD_FAILURE() << "somebody answered";
        return {DbErrorKind::other, ""};
    }

    Hosts hosts_{parse_database_url("mysql://db1:1,db2:2,db3:3/jobs").value()};
    std::map<std::string, DbErrorKind> refusing_;
    std::vector<std::string> asked_;
};

TEST_F(HostsTest, The_first_that_answers_is_the_right_one) {
    EXPECT_EQ(connect(), 1);
    EXPECT_THAT(asked_, ElementsAre("db1"));
}

TEST_F(HostsTest, The_one_that_was_right_last_is_asked_first) {
    refusing_ = {{"db1", DbErrorKind::unreachable}};
    EXPECT_EQ(connect(), 2);
    EXPECT_EQ(connect(), 2);
    EXPECT_THAT(asked_, ElementsAre("db1", "db2", "db2"));
}

TEST_F(HostsTest, Behind_the_last_comes_the_first_again) {
    refusing_ = {{"db1", DbErrorKind::unreachable}, {"db2", DbErrorKind::read_only}};
    EXPECT_EQ(connect(), 3);
    refusing_ = {{"db3", DbErrorKind::unreachable}};
    asked_.clear();
    EXPECT_EQ(connect(), 1);
    EXPECT_THAT(asked_, ElementsAre("db3", "db1"));
}

TEST_F(HostsTest, Where_none_is_right_it_is_told_of_each) {
    refusing_ = {
        {"db1", DbErrorKind::unreachable},
        {"db2", DbErrorKind::read_only},
        {"db3", DbErrorKind::access_denied}};
    const DbError told = error();
    EXPECT_EQ(told.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(
        told.what(),
        AllOf(HasSubstr("db1 refuses; "), HasSubstr("db2 refuses; "), HasSubstr("db3 refuses"))
    );
}

TEST_F(HostsTest, What_all_of_them_say_is_said_as_one_would_say_it) {
    for (const std::string host : {"db1", "db2", "db3"}) {
        refusing_.emplace(host, DbErrorKind::access_denied);
    }
    EXPECT_EQ(error().kind(), DbErrorKind::access_denied);
}

TEST(HostsOfAUrl, Several_are_asked_for_one_that_takes_writes_unless_the_url_says_otherwise) {
    const std::map<std::string, std::string> targets{
        {"postgresql://a/jobs", "none"},
        {"postgresql://a,b/jobs", "read-write"},
        {"mysql://a,b/jobs", "read-write"},
        {"mysql://a/jobs?target_session_attrs=read-write", "read-write"},
        {"mysql://a,b/jobs?target_session_attrs=any", "any"},
        {"postgresql://a,b/jobs?target_session_attrs=primary", "primary"},
    };
    for (const auto& [text, target] : targets) {
        Hosts hosts(parse_database_url(text).value());
        const std::string asked = hosts.connect([](const DatabaseUrl& url) {
            EXPECT_TRUE(url.further_hosts.empty());
            const auto found = url.options.find("target_session_attrs");
            return found == url.options.end() ? "none" : found->second;
        });
        EXPECT_EQ(asked, target) << text;
    }
}

}  // namespace

}  // namespace jobstrand::persistence
