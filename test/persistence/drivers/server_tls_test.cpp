#include "test/fixtures/mariadb_server.hpp"
#include "test/fixtures/postgresql_server.hpp"
#include "test/fixtures/self_signed.hpp"
#include "test/fixtures/server_programs.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/persistence/drivers/opening_test.hpp"

#include <fstream>
#include <optional>

namespace jobstrand::test {

namespace {

using persistence::DatabaseUrl;
using persistence::DbErrorKind;
using testing::HasSubstr;

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
            [&value](const persistence::Row& row) { value = row.text(1); }
        );
        return value;
    }

    void create_certified_user();

    const TemporaryDirectory folder_;
    std::optional<MariaDbServer> mariadb_;
    std::optional<PostgresqlServer> postgresql_;
    DatabaseUrl url_;
};

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    TlsServer,
    testing::ValuesIn(kEveryServer),
    name_of_database
);

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
    EXPECT_EQ(opening_error(url_).kind(), DbErrorKind::unreachable);
    url_.options["ssl_ca"] = file("cert.pem");
    EXPECT_NE(cipher(url_), "");
    url_.host = "127.0.0.1";
    const auto error = opening_error(url_);
    EXPECT_EQ(error.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(error.what(), HasSubstr("TLS failed"));

    url_.options["ssl"] = "verify-ca";
    EXPECT_NE(cipher(url_), "") << "whatever name is in it";
    const TemporaryDirectory others;
    SelfSigned().write_to(others.path());
    url_.options["ssl_ca"] = (others.path() / "cert.pem").string();
    EXPECT_EQ(opening_error(url_).kind(), DbErrorKind::unreachable);
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
        connection->query(
            {.sql = "SHOW hba_file", .columns = 1},
            {},
            [&rules](const persistence::Row& row) { rules = row.text(0); }
        );
        std::ofstream(rules) << "hostssl all localhost all cert\nhost all all all scram-sha-256\n";
        connection->query(
            {.sql = "SELECT pg_reload_conf()::text", .columns = 1},
            {},
            [](const persistence::Row&) {}
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
    const auto without = error_of([&] { static_cast<void>(open_connection(url)); });
    EXPECT_EQ(without.kind(), DbErrorKind::access_denied) << without.what();

    url.options["ssl_cert"] = file("cert.pem");
    url.options["ssl_key"] = file("key.pem");
    EXPECT_NE(cipher(url), "");
    url.options["ssl"] = "require";
    EXPECT_NE(cipher(url), "");

    url.options["ssl_key"] = file("nowhere.pem");
    const auto missing = error_of([&] { static_cast<void>(open_connection(url)); });
    EXPECT_EQ(missing.kind(), DbErrorKind::unreachable);
    EXPECT_THAT(missing.what(), HasSubstr("ssl_cert and ssl_key, and"));
}

}  // namespace

}  // namespace jobstrand::test
