#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/persistence/drivers/opening_test.hpp"

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
using persistence::DbErrorKind;
using persistence::SessionPool;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

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

INSTANTIATE_TEST_SUITE_P(
    OnEveryServer,
    ServerLogin,
    testing::ValuesIn(kEveryServer),
    name_of_database
);

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
        const auto error =
            error_of([&] { static_cast<void>(pool->lease(SessionPool::Access::write)); });
        EXPECT_EQ(error.kind(), DbErrorKind::access_denied);
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

INSTANTIATE_TEST_SUITE_P(
    OnItsServer,
    PostgresqlLogin,
    testing::Values("postgresql"),
    name_of_database
);

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
    EXPECT_EQ(opening_error(url_).kind(), DbErrorKind::unreachable);
}

}  // namespace

}  // namespace jobstrand::test
