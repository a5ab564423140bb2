#include "persistence/drivers/password.hpp"

#include "persistence/drivers/postgresql/guarded_login.hpp"
#include "test/fixtures/error_of.hpp"
#include "test/fixtures/signal.hpp"
#include "test/fixtures/temporary_directory.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <string>

namespace jobstrand::persistence {

namespace {

using test::eventually;
using test::TemporaryDirectory;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;
using namespace std::chrono_literals;

constexpr std::string_view kSecret = "s3cr3t word";
constexpr uid_t kSomebody = 65534;

/// Passwords from beside the URL. No message ever has one in it.
class Password : public testing::Test {
protected:
    /// A file that only its owner may use, in `mode`.
    [[nodiscard]] std::string file(
        const std::string& content,
        std::filesystem::perms mode = std::filesystem::perms(0600)
    ) const {
        const std::filesystem::path path = folder_.path() / "file";
        std::filesystem::remove(path);
        std::ofstream(path) << content;
        std::filesystem::permissions(path, mode);
        return path.string();
    }

    /// A program in the language of the shell.
    [[nodiscard]] std::string program(const std::string& lines) const {
        return file("#!/bin/sh\n" + lines, std::filesystem::perms(0700));
    }

    template <typename Call>
    static void expect_refusal(DbErrorKind kind, const std::string& words, Call call) {
        test::expect_error(kind, AllOf(HasSubstr(words), Not(HasSubstr("s3cr3t"))), call);
    }

    const TemporaryDirectory folder_;
};

using PasswordFile = Password;

TEST_F(PasswordFile, Has_the_password_in_its_first_line) {
    for (const std::string end : {"", "\n", "\r\n", "\nsomething else\n"}) {
        EXPECT_EQ(password_in_file(file(std::string(kSecret) + end)), kSecret);
    }
}

TEST_F(PasswordFile, Is_refused_when_others_than_its_owner_may_use_it) {
    for (const int mode : {0640, 0604, 0620, 0601}) {
        const std::string path = file(std::string(kSecret), std::filesystem::perms(mode));
        // Of a file of root the group may read.
        ASSERT_TRUE(::geteuid() != 0 || ::chown(path.c_str(), kSomebody, kSomebody) == 0);
        expect_refusal(DbErrorKind::access_denied, "run `chmod 600 " + path + "`", [&path] {
            return password_in_file(path);
        });
    }
}

TEST_F(PasswordFile, Of_root_may_be_read_by_its_group) {
    const std::string path = file(std::string(kSecret), std::filesystem::perms(0640));
    if (::geteuid() != 0) {
        GTEST_SKIP() << "only root can make one";
    }
    EXPECT_EQ(password_in_file(path), kSecret);
}

TEST(SecretFile, Is_kept_by_the_rule_of_postgresqls_clients_and_as_containers_have_it) {
    struct Case {
        uid_t owner;
        mode_t mode;
        bool is_handed_in;
        bool is_kept;
    };
    constexpr uid_t root = 0;
    for (const Case& one :
         {Case{kSomebody, 0600, false, true},
          Case{kSomebody, 0400, false, true},
          Case{kSomebody, 0640, false, false},
          Case{kSomebody, 0640, true, false},
          Case{kSomebody, 0444, true, false},
          Case{root, 0600, false, true},
          Case{root, 0640, false, true},
          Case{root, 0440, false, true},
          Case{root, 0660, false, false},
          Case{root, 0650, false, false},
          Case{root, 0644, false, false},
          Case{root, 0444, false, false},
          Case{root, 0444, true, true},
          Case{root, 0644, true, true},
          Case{root, 0666, true, false},
          Case{root, 0777, true, false}}) {
        EXPECT_EQ(
            persistence::is_kept_secret(
                {.owner = one.owner, .mode = one.mode | S_IFREG, .is_handed_in = one.is_handed_in}
            ),
            one.is_kept
        ) << one.owner
          << ' ' << std::oct << one.mode << ' ' << one.is_handed_in;
    }
}

TEST_F(PasswordFile, Is_refused_when_there_is_no_password_in_it) {
    const auto refused = [](const std::string& path, const std::string& words) {
        expect_refusal(DbErrorKind::access_denied, words, [&path] {
            return password_in_file(path);
        });
    };
    refused((folder_.path() / "nowhere").string(), "No such file");
    refused("/dev/null", "it is not a file");
    refused(file(""), "first line is empty");
    refused(file("\ns3cr3t"), "first line is empty");
    refused(file(std::string(5000, 's')), "more than 4096 bytes");
}

TEST_F(PasswordFile, That_is_a_pipe_keeps_nobody_waiting) {
    const std::string path = (folder_.path() / "pipe").string();
    ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
    expect_refusal(DbErrorKind::access_denied, "it is not a file", [&path] {
        return password_in_file(path);
    });
}

using PasswordCommand = Password;

TEST_F(PasswordCommand, Prints_the_password_in_its_first_line) {
    EXPECT_EQ(password_printed_by(program("echo 's3cr3t word'; echo and more")), kSecret);
    EXPECT_EQ(password_printed_by("/usr/bin/printf %s  one"), "one");
}

TEST_F(PasswordCommand, Is_no_text_of_a_shell) {
    EXPECT_EQ(
        password_printed_by("/usr/bin/printf [%s] $HOME 'a b' ; | >x `id` $(id)"),
        "[$HOME]['a][b'][;][|][>x][`id`][$(id)]"
    );
}

TEST_F(PasswordCommand, Reads_nothing_and_what_it_says_beside_is_dropped) {
    EXPECT_EQ(password_printed_by(program("cat; echo oops s3cr3t >&2; echo one")), "one");
}

TEST_F(PasswordCommand, Has_the_environment_and_the_usual_signals) {
    EXPECT_EQ(password_printed_by(program("echo \"${HOME:+home}\"")), "home");
    EXPECT_EQ(password_printed_by(program("trap 'echo told' TERM; kill -TERM $$")), "told");
}

TEST_F(PasswordCommand, That_gives_no_password_says_what_to_do) {
    const auto refused = [](const std::string& command, const std::string& words) {
        expect_refusal(DbErrorKind::unreachable, words, [&command] {
            return password_printed_by(command);
        });
    };
    refused("/no/such/program", "/no/such/program cannot be started (No such file");
    refused("/etc/passwd", "cannot be started (Permission denied)");
    refused(program("echo s3cr3t; exit 3"), "failed with exit code 3: run it by hand");
    refused(program("echo s3cr3t; kill -KILL $$"), "was killed: run it by hand");
    refused("/bin/true", "prints no password");
    refused(program("echo; echo s3cr3t"), "prints no password");
    refused("/usr/bin/yes s3cr3t", "prints more than 4096 bytes");
}

/// Whether a process of this group does anything still; zombies do not.
bool is_alive(pid_t group) {
    for (const auto& process : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(process.path() / "stat");
        pid_t id = 0;
        pid_t parent = 0;
        pid_t its_group = 0;
        std::string name;
        std::string state;
        stat >> id >> name >> state >> parent >> its_group;
        if (its_group == group && state != "Z" && state != "X") {
            return true;
        }
    }
    return false;
}

TEST_F(PasswordCommand, Ends_with_all_that_it_has_started_when_its_time_is_over) {
    for (const std::string lines :
         {"trap '' TERM; tail -f /dev/null",
          "tail -f /dev/null & echo s3cr3t",
          "exec >/dev/null; tail -f /dev/null"}) {
        const std::filesystem::path told = folder_.path() / "group";
        std::filesystem::remove(told);
        const std::string command = program("echo $$ >$1\n" + lines) + " " + told.string();
        pid_t group = 0;
        // A busy machine may not have begun with it in the first of these times.
        for (auto limit = 200ms; group == 0 && limit < 10s; limit *= 2) {
            expect_refusal(DbErrorKind::unreachable, "is not done after", [&] {
                return password_printed_by(command, limit);
            });
            std::ifstream(told) >> group;
        }
        EXPECT_GT(group, 0);
        EXPECT_TRUE(eventually([group] { return !is_alive(group); })) << lines;
    }
}

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
