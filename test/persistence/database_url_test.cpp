#include "persistence/drivers/database_url.hpp"

#include "persistence/drivers/database.hpp"
#include "persistence/drivers/driver.hpp"
#include "test/fixtures/error_of.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

namespace jobstrand::persistence {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::HasSubstr;

DatabaseUrl parsed(std::string_view text) {
    const auto url = parse_database_url(text);
    EXPECT_TRUE(url) << text << ": " << (url ? "" : url.error().message);
    return url ? url.value() : DatabaseUrl{};
}

struct PathRow {
    std::string_view text;
    std::string_view path;
};

TEST(DatabaseUrl, A_sqlite_url_has_a_path) {
    const std::vector<PathRow> rows{
        {"sqlite:jobs.db", "jobs.db"},
        {"sqlite:./jobs.db", "./jobs.db"},
        {"sqlite:/var/lib/jobs.db", "/var/lib/jobs.db"},
        {"sqlite:///var/lib/jobs.db", "/var/lib/jobs.db"},
        {"sqlite:my%20jobs.db", "my jobs.db"},
        {"sqlite:my jobs.db", "my jobs.db"},
        {"sqlite:a%3Fb%25c.db?synchronous=off", "a?b%c.db"},
        {"sqlite:a=b@c:d.db", "a=b@c:d.db"},
    };
    for (const PathRow& row : rows) {
        const DatabaseUrl url = parsed(row.text);
        EXPECT_EQ(url.scheme, "sqlite");
        EXPECT_EQ(url.path, row.path) << row.text;
    }
}

TEST(DatabaseUrl, A_server_url_has_user_password_host_port_and_database) {
    const DatabaseUrl url = parsed("mysql://app:se%40cret@db.example:3307/jobs");
    EXPECT_EQ(url.scheme, "mysql");
    EXPECT_EQ(url.user, "app");
    EXPECT_EQ(url.password, "se@cret");
    EXPECT_EQ(url.host, "db.example");
    EXPECT_EQ(url.port, 3307);
    EXPECT_EQ(url.database, "jobs");
}

struct OptionRow {
    std::string_view text;
    decltype(DatabaseUrl::options) options;
};

TEST(DatabaseUrl, A_url_has_options_also_by_the_names_that_the_clients_of_its_database_give_them) {
    const std::vector<OptionRow> rows{
        {"sqlite:jobs.db?synchronous=normal&busy_timeout=PT5S",
         {{"synchronous", "normal"}, {"busy_timeout", "PT5S"}}},
        {"sqlite:jobs.db?busy_timeout=2500", {{"busy_timeout", "2500"}}},
        {"mysql://h/jobs?connect_timeout=PT3S&ssl=verify&ssl_ca=%2Fetc%2Fca.pem",
         {{"connect_timeout", "PT3S"}, {"ssl", "verify"}, {"ssl_ca", "/etc/ca.pem"}}},
        {"mysql://h/d?ssl=verify&ssl-ca=a", {{"ssl", "verify"}, {"ssl_ca", "a"}}},
        {"postgresql://h/jobs?lock_timeout=PT3S&ssl=prefer&synchronous_commit=remote_write",
         {{"lock_timeout", "PT3S"}, {"ssl", "prefer"}, {"synchronous_commit", "remote_write"}}},
        {"postgresql://h/d?ssl=verify&sslrootcert=a&sslcert=c&sslkey=k",
         {{"ssl", "verify"}, {"ssl_ca", "a"}, {"ssl_cert", "c"}, {"ssl_key", "k"}}},
        {"postgresql:///d?host=/run/p", {{"socket", "/run/p"}}},
    };
    for (const OptionRow& row : rows) {
        EXPECT_EQ(parsed(row.text).options, row.options) << row.text;
    }
}

TEST(DatabaseUrl, What_is_left_out_has_its_usual_value) {
    EXPECT_EQ(parsed("mysql://h/jobs").port, 3306);
    EXPECT_EQ(parsed("postgresql://h/jobs").port, 5432);
    EXPECT_EQ(parsed("postgresql://h/jobs").user, "");
    EXPECT_EQ(parsed("postgresql://me@h/jobs").password, "");
}

TEST(DatabaseUrl, A_host_can_be_an_ipv6_address) {
    EXPECT_EQ(parsed("mysql://[::1]/jobs").host, "::1");
    EXPECT_EQ(parsed("mysql://[::1]/jobs").port, 3306);
    EXPECT_EQ(parsed("mysql://me:x@[fe80::2]:3310/jobs").port, 3310);
}

TEST(DatabaseUrl, The_url_of_a_server_may_have_several_hosts) {
    const std::string_view text =
        "postgresql://me:x@db1:5433,[::1]:5434,db3/jobs?target_session_attrs=primary";
    const DatabaseUrl url = parsed(text);
    EXPECT_EQ(url.host, "db1");
    EXPECT_EQ(url.port, 5433);
    EXPECT_EQ(url.further_hosts, (std::vector<ServerPlace>{{"::1", 5434}, {"db3", 5432}}));
    EXPECT_EQ(url.options.at("target_session_attrs"), "primary");
    EXPECT_EQ(
        without_password(url),
        "postgresql://me:***@db1:5433,[::1]:5434,db3:5432/jobs?target_session_attrs=primary"
    );
    EXPECT_EQ(
        parsed("mysql://db1,db2:3307/jobs").further_hosts, (std::vector<ServerPlace>{{"db2", 3307}})
    );
}

TEST(DatabaseUrl, A_password_may_have_an_unescaped_at_sign_or_colon) {
    const DatabaseUrl url = parsed("mysql://app:p@ss:word@h:3306/jobs");
    EXPECT_EQ(url.password, "p@ss:word");
    EXPECT_EQ(url.host, "h");
}

TEST(DatabaseUrl, A_scheme_may_be_the_other_name_of_its_database) {
    EXPECT_EQ(parsed("mariadb://h/jobs").scheme, "mysql");
    EXPECT_EQ(parsed("mariadb://h/jobs").port, 3306);
    EXPECT_EQ(parsed("postgres://h/jobs").scheme, "postgresql");
    EXPECT_EQ(parsed("postgres://h/jobs").port, 5432);
}

TEST(DatabaseUrl, A_socket_stands_in_place_of_a_host) {
    const DatabaseUrl url = parsed("postgresql://me@:5433/jobs?socket=/run/postgresql");
    EXPECT_EQ(url.user, "me");
    EXPECT_EQ(url.host, "");
    EXPECT_EQ(url.port, 5433);
    EXPECT_EQ(url.options.at("socket"), "/run/postgresql");
    EXPECT_EQ(parsed("mysql://localhost/d?socket=/run/s").host, "localhost");
    EXPECT_EQ(parsed("mysql:///d?socket=/run/s").database, "d");
}

struct BadRow {
    std::string_view text;
    std::string_view message;  ///< A part of it.
    std::size_t position;
};

void expect_refusals(const std::vector<BadRow>& rows) {
    for (const BadRow& row : rows) {
        const auto url = parse_database_url(row.text);
        ASSERT_FALSE(url) << row.text;
        EXPECT_NE(url.error().message.find(row.message), std::string::npos)
            << row.text << ": " << url.error().message;
        EXPECT_EQ(url.error().position, row.position) << row.text;
    }
}

TEST(DatabaseUrl, A_wrong_url_is_refused_with_the_place_that_is_wrong) {
    const std::vector<BadRow> rows{
        {"", "begins with sqlite:, mysql://", 0},
        {"jobs.db", "begins with sqlite:", 0},
        {"mariadb:h/jobs", "expected //", 8},
        {"mysql://a,b/jobs?target_session_attrs=primary", "any or read-write", 17},
        {"postgresql://a,/jobs", "the host is missing", 15},
        {"postgresql://a/jobs?target_session_attrs=standby", "any, read-write or primary", 20},
        {"oracle://h/jobs", "begins with sqlite:", 0},
        {"SQLITE:jobs.db", "begins with sqlite:", 0},
        {"sqlite:", "path of the database file is missing", 7},
        {"sqlite:?synchronous=off", "path of the database file is missing", 7},
        {"sqlite://jobs.db", "without //", 7},
        {"sqlite::memory:", "jobs in memory would be lost", 7},
        {"sqlite:a%2", "two hexadecimal digits", 8},
        {"sqlite:a%zz", "two hexadecimal digits", 8},
        {"sqlite:a%00", "two hexadecimal digits", 8},
        {std::string_view("sqlite:a\0b", 10), "no NUL character", 8},
        {std::string_view("sqlite:a?synchronous=off\0", 25), "no NUL character", 24},
        {std::string_view("\0sqlite:a", 9), "no NUL character", 0},
        {std::string_view("mysql://u:p\0@h/d", 16), "no NUL character", 11},
        {"sqlite:a%-1", "two hexadecimal digits", 8},
        {"sqlite:a?journal=wal", "options of sqlite are synchronous and busy_timeout", 9},
        {"sqlite:a?", "options of sqlite are synchronous and busy_timeout", 9},
        {"sqlite:a?synchronous", "must be full, normal or off", 9},
        {"sqlite:a?synchronous=FULL", "must be full, normal or off", 9},
        {"sqlite:a?synchronous=off&synchronous=off", "given twice", 25},
        {"sqlite:a?busy_timeout=soon", "busy_timeout: ", 9},
        {"sqlite:a?busy_timeout=-1", "busy_timeout: ", 9},
        {"sqlite:a?busy_timeout=P60D", "longer than 24 days", 9},
        {"mysql:h/jobs", "expected //", 6},
        {"mysql://", "host is missing", 8},
        {"mysql:///jobs", "host is missing", 8},
        {"mysql://me@/jobs", "host is missing", 11},
        {"mysql://h", "name of the database is missing", 6},
        {"mysql://h/", "name of the database is missing", 6},
        {"mysql://h:/jobs", "port must be a number from 1 to 65535", 10},
        {"mysql://h:0/jobs", "port must be a number from 1 to 65535", 10},
        {"mysql://h:65536/jobs", "port must be a number from 1 to 65535", 10},
        {"mysql://h:33o6/jobs", "port must be a number from 1 to 65535", 10},
        {"mysql://h:99999999999/jobs", "port must be a number from 1 to 65535", 10},
        {"mysql://[::1/jobs", "] behind the address is missing", 8},
        {"mysql://[::1]x/jobs", "expected a port behind the ]", 13},
        {"mysql://h/jobs?tls=1",
         "options of mysql are connect_timeout, statement_timeout, ssl, ssl_ca, ssl_cert, ssl_key, "
         "server_public_key, clear_password, password_file, password_command, socket and "
         "target_session_attrs",
         15},
        {"mysql://h/jobs?ssl=on", "ssl must be off, require, verify or verify-ca", 15},
        {"mysql://h/jobs?ssl=verify&ssl_ca=", "ssl_ca is empty", 26},
        {"mysql://h/jobs?clear_password=yes", "clear_password must be refuse or allow", 15},
        {"postgresql://h/jobs?clear_password=on", "clear_password must be refuse or allow", 20},
        {"mysql://h/jobs?statement_timeout=long", "statement_timeout: ", 15},
    };
    expect_refusals(rows);
}

TEST(DatabaseUrl, A_login_that_cannot_be_meant_so_is_refused) {
    expect_refusals({
        {"mysql://h/jobs?socket=/run/s", "a host and socket exclude each other", 15},
        {"mysql:///jobs?socket=run/s", "socket must be an absolute path", 14},
        {"mysql:///jobs?socket=", "socket is empty", 14},
        {"mysql:///jobs?socket=/run/s&ssl=require", "has no TLS and needs none", 14},
        {"mysql://?socket=/run/s", "name of the database is missing", 6},
        {"mysql://u:p@h/d?password_file=f", "it comes from the URL itself and password_file", 16},
        {"mysql://h/d?password_file=f&password_command=/c",
         "it comes from password_file and password_command",
         12},
        {"mysql://h/d?password_file=", "password_file is empty", 12},
        {"mysql://h/d?password_command=cat%20f", "absolute path of a program", 12},
        {"postgres://h/d?ssl=verify&sslcert=c", "ssl_cert and ssl_key belong together", 15},
        {"mysql://h/d?ssl=verify&ssl_key=k", "ssl_cert and ssl_key belong together", 12},
        {"mysql://h/d?ssl=verify-ca", "ssl=verify-ca needs ssl_ca", 12},
        {"mysql://h/d?ssl=require&server_public_key=k", "for connections without TLS", 12},
        {"mysql://h/d?ssl_cert=c&ssl_key=k", "add ssl=verify, or ssl=require", 12},
        {"postgres://h/d?sslcert=c&ssl_cert=c", "given twice", 25},
        {"sqlite:a?password_file=f", "options of sqlite are", 9},
    });
}

TEST(DatabaseUrl, A_message_never_repeats_the_password) {
    for (const std::string_view text :
         {"mysql://me:geheim@h:x/jobs", "mysql://me:geheim@h", "mysqll://me:geheim@h/jobs"}) {
        const auto url = parse_database_url(text);
        ASSERT_FALSE(url) << text;
        EXPECT_EQ(url.error().message.find("geheim"), std::string::npos);
    }
}

TEST(DatabaseUrl, For_logs_the_password_is_hidden) {
    const std::vector<PathRow> rows{
        {"sqlite:/var/lib/jobs.db", "sqlite:/var/lib/jobs.db"},
        {"sqlite:a%3Fb.db?synchronous=off", "sqlite:a%3Fb.db?synchronous=off"},
        {"mysql://app:geheim@h/jobs", "mysql://app:***@h:3306/jobs"},
        {"mysql://app@h/jobs", "mysql://app@h:3306/jobs"},
        {"postgresql://h:1/jobs", "postgresql://h:1/jobs"},
        {"postgresql://me:x@[::1]/jobs", "postgresql://me:***@[::1]:5432/jobs"},
        {"mysql://a%40b:x@h/my%20jobs", "mysql://a%40b:***@h:3306/my%20jobs"},
        {"mysql://app@h/d?password_command=/bin/pass%20geheim",
         "mysql://app@h:3306/d?password_command=/bin/pass%20***"},
        {"mysql://app@/d?socket=/run/s", "mysql://app@:3306/d?socket=/run/s"},
        {"postgresql://app@h/d?password_file=/etc/p",
         "postgresql://app@h:5432/d?password_file=/etc/p"},
    };
    for (const PathRow& row : rows) {
        EXPECT_EQ(without_password(parsed(row.text)), row.path);
    }
}

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
        return test::error_of([this] { return connect(); });
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

TEST(Drivers, Each_is_found_by_the_name_of_its_dialect) {
    std::set<std::string_view> names;
    for (const Driver* const driver : drivers()) {
        EXPECT_EQ(driver->url.scheme, driver->dialect.name);
        EXPECT_EQ(find_driver(driver->dialect.name), driver);
        names.insert(driver->dialect.name);
    }
    EXPECT_EQ(names.size(), drivers().size());
    EXPECT_EQ(find_driver("oracle"), nullptr);
}

TEST(Drivers, Each_is_complete) {
    for (const Driver* const driver : drivers()) {
        EXPECT_NE(driver->connect, nullptr) << driver->dialect.name;
        EXPECT_NE(driver->dialect.text_of_bytes, nullptr) << driver->dialect.name;
        EXPECT_NE(driver->dialect.tables.lock, nullptr) << driver->dialect.name;
        EXPECT_FALSE(driver->diagnostics.product.empty()) << driver->dialect.name;
    }
}

TEST(Drivers, Only_a_database_in_a_file_can_be_made_by_this_program) {
    for (const Driver* const driver : drivers()) {
        EXPECT_EQ(driver->create == nullptr, driver->url.has_server()) << driver->dialect.name;
    }
}

TEST(Drivers, A_url_leads_to_its_driver) {
    EXPECT_EQ(&driver_of(parse_database_url("mysql://h/jobs").value()), find_driver("mysql"));
}

TEST(Drivers, All_are_named_the_default_first) {
    EXPECT_THAT(driver_names(), testing::MatchesRegex("sqlite, .* or [a-z]+"));
    for (const Driver* const driver : drivers()) {
        EXPECT_THAT(driver_names(), testing::HasSubstr(driver->dialect.name));
    }
}

TEST(Drivers, A_url_that_nobody_has_parsed_may_lead_nowhere) {
    DatabaseUrl url;
    url.scheme = "oracle";
    EXPECT_THROW((void)driver_of(url), std::logic_error);
}

}  // namespace

}  // namespace jobstrand::persistence
