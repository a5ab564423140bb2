#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/self_signed.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/persistence/adapter_test.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string>

namespace jobstrand::test {

namespace {

namespace fs = std::filesystem;
using persistence::DatabaseUrl;
using persistence::Query;

/// A variable of this process's environment, until the end of its scope.
class ScopedVariable final {
public:
    ScopedVariable(const char* name, const std::string& value) : name_(name) {
        const char* const before = std::getenv(name);
        before_ = before == nullptr ? std::nullopt : std::optional<std::string>(before);
        ::setenv(name, value.c_str(), 1);
    }
    ~ScopedVariable() {
        if (before_) {
            ::setenv(name_, before_->c_str(), 1);
        } else {
            ::unsetenv(name_);
        }
    }

    ScopedVariable(const ScopedVariable&) = delete;
    ScopedVariable& operator=(const ScopedVariable&) = delete;

private:
    const char* const name_;
    std::optional<std::string> before_;
};

/// How a program comes into a server: where the password is, and by which way it goes.
class ServerLogin : public AdapterTest {
protected:
    void prepare() override {
        password_ = url_.password;
        url_.password.clear();
    }

    [[nodiscard]] static bool is_mysql() { return GetParam() == "mysql"; }

    static void expect_login(const DatabaseUrl& url) {
        EXPECT_NO_THROW(static_cast<void>(persistence::open_database(url)));
    }

    void expect_refusal(const DatabaseUrl& url, const std::string& words) const {
        const auto error = error_of([&] { static_cast<void>(persistence::open_database(url)); });
        EXPECT_THAT(error.what(), AllOf(HasSubstr(words), Not(HasSubstr(password_))));
    }

    /// A file that only its owner may read.
    [[nodiscard]] std::string file(const std::string& name, const std::string& content) const {
        const fs::path path = folder_.path() / name;
        std::ofstream(path) << content;
        fs::permissions(path, fs::perms(0600));
        return path.string();
    }

    const TemporaryDirectory folder_;
    std::string password_;  ///< The one that url_ lacks.
};

ON_EVERY_SERVER(ServerLogin);

TEST_P(ServerLogin, Without_a_password_is_told_where_one_could_be) {
    expect_refusal(url_, "none was found: neither in the URL, by its password_file or");
}

TEST_P(ServerLogin, Takes_the_password_from_a_file) {
    url_.options["password_file"] = file("password", password_ + "\n");
    expect_login(url_);
    static_cast<void>(file("password", "wrong\n"));
    expect_refusal(url_, "refuses this user or password");
    fs::permissions(folder_.path() / "password", fs::perms(0644));
    expect_refusal(url_, "run `chmod 600 ");
}

TEST_P(ServerLogin, Takes_the_password_from_a_command) {
    url_.options["password_command"] = "/bin/cat " + file("password", password_ + "\n");
    expect_login(url_);
    static_cast<void>(file("password", "wrong\n"));
    expect_refusal(url_, "refuses this user or password");
    url_.options["password_command"] = "/bin/false s3cret-argument";
    expect_refusal(url_, "the password command /bin/false failed with exit code 1");
    EXPECT_THAT(
        error_of([&] { static_cast<void>(persistence::open_database(url_)); }).what(),
        Not(HasSubstr("s3cret-argument"))
    );
}

TEST_P(ServerLogin, With_a_password_that_has_changed_needs_no_restart) {
    for (const std::string way : {"password_file", "password_command"}) {
        const std::string path = file("password", password_);
        DatabaseUrl url = url_;
        url.options[way] = way == "password_file" ? path : "/bin/cat " + path;
        const auto pool = persistence::open_database(url);
        const auto first = pool->lease(SessionPool::Access::write);
        static_cast<void>(file("password", "not yet the new one"));
        expect_error(DbErrorKind::access_denied, [&] {
            static_cast<void>(pool->lease(SessionPool::Access::write));
        });
        static_cast<void>(file("password", password_));
        EXPECT_NO_THROW(static_cast<void>(pool->lease(SessionPool::Access::write)));
    }
}

TEST_P(ServerLogin, Takes_the_password_from_the_variable_of_its_clients) {
    const ScopedVariable variable(is_mysql() ? "MYSQL_PWD" : "PGPASSWORD", password_);
    expect_login(url_);
    url_.password = "wrong";
    expect_refusal(url_, "refuses this user or password");
}

/// A password as it stands in a file of PostgreSQL's.
std::string in_pgpass(const std::string& password) {
    std::string escaped;
    for (const char c : password) {
        escaped += c == ':' || c == '\\' ? std::string("\\") + c : std::string(1, c);
    }
    return escaped;
}

class PostgresqlLogin : public ServerLogin {};

ON_POSTGRESQL(PostgresqlLogin);

TEST_P(PostgresqlLogin, Takes_the_password_from_the_files_of_its_clients) {
    const std::string path = file(
        "pgpass",
        fmt::format(
            "elsewhere:*:*:*:wrong\n{}:{}:*:{}:{}\n",
            url_.host,
            url_.port,
            url_.user,
            in_pgpass(password_)
        )
    );
    {
        const ScopedVariable variable("PGPASSFILE", path);
        expect_login(url_);
        const auto listener = persistence::listener_of(url_)();
        EXPECT_GE(listener->socket(), 0);
        fs::permissions(path, fs::perms(0644));
        expect_refusal(url_, "none was found");
    }
    fs::permissions(path, fs::perms(0600));
    fs::rename(path, folder_.path() / ".pgpass");
    const ScopedVariable home("HOME", folder_.path().string());
    expect_login(url_);
}

TEST_P(ServerLogin, Goes_through_a_socket_of_this_machine) {
    url_.password = password_;
    connection_ = connect();
    const std::string socket =
        text_of(is_mysql() ? "SELECT @@socket" : "SHOW unix_socket_directories");
    const auto by_socket = persistence::parse_database_url(fmt::format(
        "{}://{}@:{}/{}?socket={}",
        is_mysql() ? "mariadb" : "postgres",
        url_.user,
        url_.port,
        url_.database,
        socket
    ));
    ASSERT_TRUE(by_socket) << by_socket.error().message;
    url_ = by_socket.value();
    url_.password = password_;
    connection_ = connect();
    if (is_mysql()) {
        EXPECT_THAT(text_of("SELECT USER()"), HasSubstr("@localhost"));
    } else {
        EXPECT_EQ(text_of("SELECT COALESCE(inet_server_port(), 0)"), "0");
    }
    url_.options["socket"] = folder_.path().string();
    url_.options["connect_timeout"] = "PT1S";
    expect_opening_error(url_, DbErrorKind::unreachable);
}

/// A server of our own that has TLS, with a certificate for `localhost`.
class TlsServer : public testing::TestWithParam<std::string_view> {
protected:
    void SetUp() override {
        const auto missing = GetParam() == "mysql" ? MariaDbServer::what_is_missing()
                                                   : PostgresqlServer::what_is_missing();
        if (missing) {
            GTEST_SKIP() << *missing;
        }
        SelfSigned().write_to(folder_.path());
        const passwd* const user =
            unprivileged_user({GetParam() == "mysql" ? "mysql" : "postgres"});
        give_to(user, {folder_.path(), file("cert.pem"), file("key.pem")});
        if (GetParam() == "mysql") {
            mariadb_.emplace(std::vector<std::string>{
                "--ssl-cert=" + file("cert.pem"),
                "--ssl-key=" + file("key.pem"),
                "--ssl-ca=" + file("cert.pem")});
            url_ = mariadb_->url();
        } else {
            postgresql_.emplace(std::vector<std::string>{
                "ssl=on",
                "ssl_cert_file=" + file("cert.pem"),
                "ssl_key_file=" + file("key.pem"),
                "ssl_ca_file=" + file("cert.pem")});
            url_ = postgresql_->url();
        }
    }

    [[nodiscard]] std::string file(const std::string& name) const {
        return (folder_.path() / name).string();
    }

    /// The words of the database itself for whether this connection is encrypted.
    [[nodiscard]] std::string cipher(const DatabaseUrl& url) const {
        const bool is_mysql = GetParam() == "mysql";
        std::string value;
        open_connection(url)->query(
            {.sql = is_mysql ? "SHOW STATUS LIKE 'Ssl_cipher'"
                             : "SELECT pid, cipher FROM pg_stat_ssl WHERE pid = pg_backend_pid()",
             .columns = 2},
            {},
            [&value](const Row& row) { value = row.text(1); }
        );
        return value;
    }

    void create_certified_user();

    const TemporaryDirectory folder_;
    std::optional<MariaDbServer> mariadb_;
    std::optional<PostgresqlServer> postgresql_;
    DatabaseUrl url_;
};

ON_EVERY_SERVER(TlsServer);

TEST_P(TlsServer, Is_used_as_the_option_ssl_says) {
    url_.options["ssl"] = "require";
    EXPECT_NE(cipher(url_), "");
    url_.options["ssl"] = "off";
    EXPECT_EQ(cipher(url_), "");
    url_.options.erase("ssl");
    EXPECT_EQ(cipher(url_).empty(), GetParam() == "mysql");

    // Its certificate is nobody's, until the file of those to trust has it.
    url_.options["ssl"] = "verify";
    url_.host = "localhost";
    expect_opening_error(url_, DbErrorKind::unreachable);
    url_.options["ssl_ca"] = file("cert.pem");
    EXPECT_NE(cipher(url_), "");
    url_.host = "127.0.0.1";
    expect_opening_error(url_, DbErrorKind::unreachable, HasSubstr("TLS failed"));

    url_.options["ssl"] = "verify-ca";
    EXPECT_NE(cipher(url_), "") << "whatever name is in it";
    const TemporaryDirectory others;
    SelfSigned().write_to(others.path());
    url_.options["ssl_ca"] = (others.path() / "cert.pem").string();
    expect_opening_error(url_, DbErrorKind::unreachable);
}

/// Lets a user in who shows this certificate, and nobody else.
void TlsServer::create_certified_user() {
    const auto connection = open_connection(url_);
    if (GetParam() == "mysql") {
        connection->run_script("CREATE USER certified@'%' REQUIRE SUBJECT '/CN=localhost'");
        connection->run_script("GRANT ALL ON *.* TO certified@'%'");
    } else {
        // The name in the certificate is that of the role.
        connection->run_script("CREATE ROLE localhost LOGIN");
        std::string rules;
        connection->query({.sql = "SHOW hba_file", .columns = 1}, {}, [&rules](const Row& row) {
            rules = row.text(0);
        });
        std::ofstream(rules) << "hostssl all localhost all cert\nhost all all all scram-sha-256\n";
        connection->query(
            {.sql = "SELECT pg_reload_conf()::text", .columns = 1}, {}, [](const Row&) {}
        );
    }
}

TEST_P(TlsServer, Lets_in_whoever_shows_the_certificate_that_it_trusts) {
    create_certified_user();
    DatabaseUrl url = url_;
    url.user = GetParam() == "mysql" ? "certified" : "localhost";
    url.password.clear();
    url.host = "localhost";
    url.options = {{"ssl", "verify"}, {"ssl_ca", file("cert.pem")}};
    expect_error(DbErrorKind::access_denied, [&] { static_cast<void>(open_connection(url)); });

    url.options["ssl_cert"] = file("cert.pem");
    url.options["ssl_key"] = file("key.pem");
    EXPECT_NE(cipher(url), "");
    url.options["ssl"] = "require";
    EXPECT_NE(cipher(url), "");

    url.options["ssl_key"] = file("nowhere.pem");
    expect_error(DbErrorKind::unreachable, HasSubstr("ssl_cert and ssl_key, and"), [&] {
        static_cast<void>(open_connection(url));
    });
}

/// How a server says what it does with statements.
struct StatementWords {
    Query prepared;  ///< Those of the session, in the last column; MySQL counts closed ones too.
    Query open;
    int most_open = 0;  ///< What we keep, and what this question and others need.
    std::string_view too_long;
};

constexpr StatementWords kMysqlWords{
    .prepared = {.sql = "SHOW SESSION STATUS LIKE 'Com_stmt_prepare'", .columns = 2},
    .open = {.sql = "SHOW GLOBAL STATUS LIKE 'Prepared_stmt_count'", .columns = 2},
    .most_open = 140,
    .too_long = "Data too long for column 'TEXT_' at row 1 (1406)"};
constexpr Query kPostgresqlStatements{
    .sql = "SELECT COUNT(*) FROM pg_prepared_statements",
    .columns = 1};
constexpr StatementWords kPostgresqlWords{
    .prepared = kPostgresqlStatements,
    .open = kPostgresqlStatements,
    .most_open = 260,
    .too_long = "value too long for type character varying(255) (22001)"};

/// What connections to servers promise beyond connection_test.cpp: statements are kept within a
/// bound, and texts do not become longer than their columns.
class ServerConnectionTest : public AdapterTest {
protected:
    void prepare() override { create_note_table(); }

    [[nodiscard]] int count(Query query) {
        int number = -1;
        connection_->query(query, {}, [&](const Row& row) {
            number = static_cast<int>(row.integer(query.columns - 1));
        });
        return number;
    }

    const StatementWords& words_ = GetParam() == "mysql" ? kMysqlWords : kPostgresqlWords;
};

ON_EVERY_SERVER(ServerConnectionTest);

TEST_P(ServerConnectionTest, A_statement_is_prepared_once) {
    execute("UPDATE NOTE SET NUMBER_ = ?", {Value{std::int64_t{1}}});
    const int before = count(words_.prepared);
    for (std::int64_t i = 0; i < 10; ++i) {
        execute("UPDATE NOTE SET NUMBER_ = ?", {Value{i}});
    }
    EXPECT_EQ(count(words_.prepared), before);
}

TEST_P(ServerConnectionTest, The_statement_that_was_not_used_for_longest_is_closed) {
    const std::string_view often = "SELECT 'often'";
    for (int i = 0; i < 300; ++i) {
        EXPECT_EQ(text_of(fmt::format("SELECT {}", i)), std::to_string(i));
        EXPECT_EQ(text_of(often), "often");
    }
    EXPECT_LE(count(words_.open), words_.most_open);
}

TEST_P(ServerConnectionTest, A_text_that_its_column_cannot_hold_leaves_a_good_statement) {
    const std::string_view insert = "INSERT INTO NOTE (ID_, TEXT_) VALUES (?, ?)";
    const std::string large(300'000, 'x');
    expect_error(DbErrorKind::too_long, [&] { execute(insert, {Value{"a"}, Value{large}}); });
    EXPECT_EQ(execute(insert, {Value{"a"}, Value{"text"}}), 1);
}

TEST_P(ServerConnectionTest, An_error_says_what_was_attempted_and_not_with_which_values) {
    const std::string secret(256, 's');
    const auto error = error_of([&] {
        execute("INSERT INTO NOTE (ID_, TEXT_)\n VALUES (?, ?)", {Value{"id"}, Value{secret}});
    });
    EXPECT_EQ(
        std::string(error.what()),
        fmt::format("INSERT INTO NOTE (ID_, TEXT_) VALUES (?, ?): {}", words_.too_long)
    );
}

}  // namespace

}  // namespace jobstrand::test
