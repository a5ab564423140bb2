#include "tools/access/token_file.hpp"

#include "schema/text/time_text.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

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
        path(), std::filesystem::perms::others_read, std::filesystem::perm_options::add
    );
    try {
        (void)service::read_tokens(path());
        FAIL();
    } catch (const service::TokenFileError& error) {
        EXPECT_THAT(error.what(), HasSubstr("chmod 600"));
    }
}

TEST_F(TokenFileTest, A_link_is_written_through_and_mode_and_owner_stay) {
    using service::TokenFileTurn;
    const std::string link = path() + "-link";
    std::filesystem::create_symlink("tokens", link);
    const service::TokenEntry shop{
        .name = "shop", .role = Role::read, .hash = service::hash_of("x"), .created = "x"};
    {
        TokenFileTurn turn(link, TokenFileTurn::Missing::is_made);
        EXPECT_TRUE(turn.tokens().empty());
        turn.tokens().push_back(shop);
        turn.write();
    }
    const bool is_root = ::geteuid() == 0;
    constexpr uid_t somebody = 65534;
    ASSERT_EQ(::chmod(path().c_str(), S_IRUSR), 0);
    ASSERT_TRUE(!is_root || ::chown(path().c_str(), somebody, somebody) == 0);
    {
        TokenFileTurn turn(link, TokenFileTurn::Missing::fails);
        ASSERT_EQ(turn.tokens().size(), 1U);
        turn.tokens().clear();
        turn.write();
    }
    EXPECT_TRUE(std::filesystem::is_symlink(link));
    EXPECT_TRUE(service::read_tokens(path()).empty());
    struct stat about {};
    ASSERT_EQ(::stat(path().c_str(), &about), 0);
    EXPECT_EQ(about.st_mode & 0777U, static_cast<mode_t>(S_IRUSR));
    EXPECT_EQ(about.st_uid, is_root ? somebody : ::geteuid());
}

TEST_F(TokenFileTest, A_turn_at_a_file_that_is_not_there_makes_it_or_fails) {
    using service::TokenFileTurn;
    EXPECT_THROW(TokenFileTurn(path(), TokenFileTurn::Missing::fails), service::TokenFileError);
    EXPECT_FALSE(std::filesystem::exists(path()));
    EXPECT_TRUE(TokenFileTurn(path(), TokenFileTurn::Missing::is_made).tokens().empty());
}

TEST_F(TokenFileTest, What_restricts_a_token_stands_behind_it) {
    const TokenEntry mailer{
        .name = "mailer",
        .role = Role::worker,
        .hash = service::hash_of("x"),
        .created = "now",
        .scope =
            {.topics = {"mail", "invoice.*"}, .tenants = {"acme corp", "a,b"}, .engines = {"main"}},
        .expires = schema::parse_instant("2026-12-26T10:00:00Z").value()};
    service::write_tokens(path(), {mailer});
    EXPECT_THAT(
        content(),
        HasSubstr("now topics=mail,invoice.* tenants=acme%20corp,a%2Cb engines=main "
                  "expires=2026-12-26T10:00:00.000Z\n")
    );
    const auto read = service::read_tokens(path());
    ASSERT_EQ(read.size(), 1U);
    EXPECT_EQ(read[0].scope, mailer.scope);
    EXPECT_EQ(read[0].expires, mailer.expires);
    const std::string line = "shop read sha256:" + std::string(64, '0') + " now ";
    EXPECT_TRUE(service::parse_tokens(line + "tenants=a"));
    for (const char* const wrong :
         {"tenants=",
          "tenants=a,",
          "tenants=a tenants=b",
          "topics=*",
          "topics=a*b",
          "colour=red",
          "expires=soon",
          "tenants"}) {
        EXPECT_FALSE(service::parse_tokens(line + wrong)) << wrong;
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
