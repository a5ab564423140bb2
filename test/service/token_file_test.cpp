#include "tools/service/access/token_file.hpp"

#include "test/fixtures/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace jobstrand {
namespace {

using service::Role;
using service::TokenEntry;
using testing::HasSubstr;
using testing::Not;

class TokenFileTest : public testing::Test {
protected:
    [[nodiscard]] std::string path() const { return (directory.path() / "tokens").string(); }

    [[nodiscard]] std::string content() const {
        std::ostringstream text;
        text << std::ifstream(path()).rdbuf();
        return text.str();
    }

    const test::TemporaryDirectory directory;
};

TEST_F(TokenFileTest, The_file_keeps_hashes_and_no_tokens_and_only_its_owner_reads_it) {
    const std::string token = service::new_token();
    service::write_tokens(
        path(),
        {{.name = "shop",
          .role = Role::worker,
          .hash = service::hash_of(token),
          .created = "2026-11-20T10:15:30.000Z"}}
    );
    EXPECT_THAT(content(), Not(HasSubstr(token)));
    EXPECT_EQ(
        std::filesystem::status(path()).permissions(),
        std::filesystem::perms::owner_read | std::filesystem::perms::owner_write
    );
    const auto read = service::read_tokens(path());
    ASSERT_EQ(read.size(), 1);
    EXPECT_EQ(read[0].name, "shop");
    EXPECT_EQ(read[0].role, Role::worker);
    EXPECT_TRUE(service::are_equal(read[0].hash, service::hash_of(token)));
    EXPECT_FALSE(service::are_equal(read[0].hash, service::hash_of(token + "x")));
}

TEST_F(TokenFileTest, A_file_that_others_may_read_or_that_is_not_there_is_refused_with_what_to_do) {
    EXPECT_THROW((void)service::read_tokens(path()), service::TokenFileError);
    service::write_tokens(path(), {});
    std::filesystem::permissions(
        path(), std::filesystem::perms::group_read, std::filesystem::perm_options::add
    );
    try {
        (void)service::read_tokens(path());
        FAIL();
    } catch (const service::TokenFileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("chmod 600"));
    }
}

TEST_F(TokenFileTest, A_line_that_is_no_token_is_named) {
    const std::string hash = "sha256:" + std::string(64, '0');
    EXPECT_TRUE(service::parse_tokens("# a comment\n\nshop read " + hash + " now\n"));
    for (const std::string& line : {
             std::string("shop"),
             "shop owner " + hash + " now",
             std::string("shop read sha256:00 now"),
             "shop read " + hash,
             "shop read " + hash + " now more",
             "s/hop read " + hash + " now",
             "shop read sha256:" + std::string(63, '0') + "g now",
             "a read " + hash + " now\na read " + hash + " now",
         }) {
        const auto read = service::parse_tokens("# first\n" + line + "\n");
        ASSERT_FALSE(read) << line;
        EXPECT_THAT(read.error().message, HasSubstr("line ")) << line;
    }
}

TEST_F(TokenFileTest, Tokens_are_long_and_differ) {
    EXPECT_EQ(service::new_token().size(), 47);
    EXPECT_NE(service::new_token(), service::new_token());
    EXPECT_THAT(service::new_token(), testing::MatchesRegex("jst_[A-Za-z0-9_-]+"));
}

}  // namespace
}  // namespace jobstrand
