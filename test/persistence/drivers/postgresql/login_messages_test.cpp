#include "persistence/drivers/postgresql/guarded_login.hpp"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace jobstrand::persistence {
namespace {

std::string message(char type, const std::string& content) {
    const std::size_t length = content.size() + 4;
    std::string bytes(1, type);
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
        bytes += static_cast<char>(length >> shift & 0xFFU);
    }
    return bytes + content;
}

std::string authentication(char what, const std::string& more = {}) {
    return message('R', std::string("\0\0\0", 3) + what + more);
}

const std::string kLetIn = authentication(0);
const std::string kClearPassword = authentication(3);
const std::string kHashed = authentication(5, "salt");
const std::string kScram = authentication(10, std::string("SCRAM-SHA-256\0\0", 15));

TEST(LoginMessages, Requests_for_a_proof_pass) {
    for (const std::string& request : {kHashed, kScram, authentication(11, "r=nonce"), kLetIn}) {
        LoginMessages messages;
        EXPECT_EQ(messages.pass(request), request);
    }
}

TEST(LoginMessages, A_request_for_the_password_does_not) {
    EXPECT_EQ(LoginMessages().pass(kClearPassword), std::nullopt);
}

TEST(LoginMessages, Nor_does_it_behind_other_messages) {
    EXPECT_EQ(LoginMessages().pass(kScram + kClearPassword), std::nullopt);
    LoginMessages later;
    EXPECT_EQ(later.pass(kScram), kScram);
    EXPECT_EQ(later.pass(kClearPassword), std::nullopt);
    EXPECT_EQ(LoginMessages().pass(message('S', "server_version") + kClearPassword), std::nullopt);
}

TEST(LoginMessages, A_message_is_held_back_until_it_is_whole) {
    LoginMessages messages;
    for (std::size_t i = 0; i + 1 < kScram.size(); ++i) {
        EXPECT_EQ(messages.pass(kScram.substr(i, 1)), "");
    }
    EXPECT_EQ(messages.pass(kScram.substr(kScram.size() - 1)), kScram);

    LoginMessages slow_thief;
    for (std::size_t i = 0; i + 1 < kClearPassword.size(); ++i) {
        EXPECT_EQ(slow_thief.pass(kClearPassword.substr(i, 1)), "");
    }
    EXPECT_EQ(slow_thief.pass(kClearPassword.substr(kClearPassword.size() - 1)), std::nullopt);
}

TEST(LoginMessages, Whole_messages_pass_while_the_next_is_held_back) {
    LoginMessages messages;
    EXPECT_EQ(messages.pass(kHashed + kScram.substr(0, 7)), kHashed);
    EXPECT_EQ(messages.pass(kScram.substr(7)), kScram);
}

TEST(LoginMessages, After_somebody_is_let_in_all_passes_as_it_comes) {
    LoginMessages messages;
    EXPECT_EQ(messages.pass(kLetIn + "Z\0"), kLetIn + "Z\0");
    EXPECT_EQ(messages.pass("half of a message"), "half of a message");
    EXPECT_EQ(messages.pass(kClearPassword), kClearPassword);  // Nobody asks for it any more.
}

TEST(LoginMessages, What_is_no_message_passes_once_and_ends_the_talk) {
    for (const std::string& bytes :
         {std::string("SSH-2.0-OpenSSH_9.2p1\r\n"),
          std::string("R\0\0\0\3", 5),
          std::string("R\xff\xff\xff\xff", 5)}) {
        LoginMessages messages;
        EXPECT_EQ(messages.pass(bytes), bytes);
        EXPECT_TRUE(messages.is_broken());
    }
}

TEST(LoginMessages, An_error_is_a_message_too) {
    LoginMessages messages;
    const std::string error = login_error("28000", "no");
    EXPECT_EQ(error, message('E', std::string("SFATAL\0C28000\0Mno\0\0", 19)));
    EXPECT_EQ(messages.pass(error), error);
    EXPECT_FALSE(messages.is_broken());
}

}  // namespace
}  // namespace jobstrand::persistence
