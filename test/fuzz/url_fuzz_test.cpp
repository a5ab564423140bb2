#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/driver.hpp"
#include "test/fuzz/fuzz_run.hpp"
#include "tools/process/this_process.hpp"

#include <array>
#include <vector>

namespace jobstrand::test {
namespace {

using persistence::DatabaseUrl;

/// Stands for every password, so that it is seen wherever one is shown.
constexpr std::string_view kSecret = "s3cr3t";

const Grammar& url_grammar() {
    static const Grammar grammar(R"grammar(
    url      ::= sqlite:<path><options> | <server>://<who>@<host>/<name><options> | <server>://<host>/<name>
               | <good> | <good>
    good     ::= sqlite:jobs.db?synchronous=full&busy_timeout=<duration>
               | mysql://<good who>@<good host>/jobs?connect_timeout=<duration>
               | postgresql://<good who>@<good host>/jobs%20x
               | mariadb:///jobs?socket=<path> | postgres://<good who>@/jobs?host=/run<path>
               | mysql://<user>@<good host>/jobs?password_file=<path>
               | mysql://<user>@<good host>/jobs?password_command=/bin/<path>%20s3cr3t
    good who ::= jobs | j%40b | jobs:s3cr3t%40x | jobs:s3cr3t
    good host ::= localhost | 127.0.0.1:3306 | [::1]:5432 | db.example
    server   ::= mysql | postgresql | mysql | postgresql | MySQL | postgres | oracle
    who      ::= jobs | <user> | <user>:<password> | <user>:<password> | <user>:
    user     ::= jobs | j%40b | a%3Ab | <nothing> | %zz | Ünal
    password ::= s3cr3t | s3cr3t%40x | s3cr3t@x | s3cr3t/x | s3cr3t:x | s3cr3t?x=y | %00s3cr3t | s3cr3t#
    host     ::= localhost | localhost:<port> | 127.0.0.1:<port> | [::1] | [::1]:<port> | db.example | db%20x
               | <nothing>
    port     ::= 3306 | 5432 | 0 | 65535 | 65536 | -1 | x | <nothing>
    name     ::= jobs | jobs%20x | a/b | <nothing> | %2F | jobs%00
    path     ::= jobs.db | /var/lib/jobs.db | a b | %2e%2e/x | :memory: | <nothing> | //x | jobs.db%00.txt | %
    options  ::= <nothing> | ?<option> | ?<option>&<option> | ?<option>&<option>&<option> | ?
    option   ::= synchronous=full | synchronous=normal | busy_timeout=PT10S | busy_timeout=<duration>
               | connect_timeout=<duration> | statement_timeout=<duration> | ssl=<ssl> | ssl_ca=/etc/ca.pem
               | sslmode=verify-full | unknown=1 | = | ssl
    duration ::= PT5S | 1000 | PT0S | -1 | PT99999999H | 999999999999999999999 | P1Y | <nothing>
    ssl      ::= off | require | verify | prefer | maybe
)grammar");
    return grammar;
}

bool shows_the_secret(std::string_view text) {
    return text.find(kSecret) != std::string_view::npos;
}

TEST(UrlFuzz, No_database_url_crashes_its_parser_or_shows_its_password) {
    const FuzzCount count = fuzz(
        [](Dice& dice) { return nearly_valid(url_grammar(), "url", dice); },
        [](const std::string& text, Dice&) {
            const auto read = persistence::parse_database_url(text);
            if (!read) {
                EXPECT_LE(read.error().position, text.size());
                EXPECT_FALSE(read.error().message.empty());
                return false;
            }
            const DatabaseUrl& url = read.value();
            EXPECT_FALSE(url.scheme.empty());
            EXPECT_EQ(persistence::driver_of(url).url.scheme, url.scheme);
            const bool has_server = !url.host.empty() || url.options.contains("socket");
            EXPECT_NE(url.path.empty(), !has_server) << "a file or a server";
            EXPECT_LE(url.port, 65535);
            for (const std::string* part :
                 {&url.path, &url.user, &url.password, &url.host, &url.database}) {
                EXPECT_EQ(part->find('\0'), std::string::npos) << "it would name something else";
            }
            if (!url.password.empty()) {
                DatabaseUrl other = url;
                other.password = "another one";
                EXPECT_EQ(persistence::without_password(url), persistence::without_password(other));
            }
            return true;
        }
    );
    EXPECT_GT(count.taken, count.texts / 8);
}

TEST(UrlFuzz, A_url_in_a_wrong_place_is_shown_without_its_password) {
    Dice dice(timers::test_seed());
    for (int i = 0; i < 5000; ++i) {
        const std::string url =
            url_grammar().draw("server", dice) + "://jobs:" + url_grammar().draw("password", dice) +
            "@" + url_grammar().draw("host", dice) + "/" + url_grammar().draw("name", dice);
        EXPECT_FALSE(shows_the_secret(cli::without_password("--limit must be a number, not " + url))
        ) << url;
        std::string argument = "--db=" + url;
        std::array<char*, 1> arguments{argument.data()};
        cli::hide_passwords(arguments);
        EXPECT_FALSE(shows_the_secret(argument)) << url;
    }
}

}  // namespace
}  // namespace jobstrand::test
