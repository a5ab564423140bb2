#pragma once

#include "persistence/sql/connection.hpp"
#include "persistence/sql/session_pool.hpp"
#include "persistence/sql/sql_transaction.hpp"
#include "test/fixtures/database_servers.hpp"
#include "test/fixtures/error_of.hpp"
#include "test/fixtures/server_database.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <chrono>
#include <initializer_list>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::test {

using namespace std::chrono_literals;

using persistence::DbError;
using persistence::DbErrorKind;
using persistence::Row;
using persistence::SessionPool;
using persistence::Transaction;
using persistence::Value;
using testing::AllOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;

/// The databases by their URL schemes.
inline constexpr std::array<std::string_view, 3> kEveryDatabase{"sqlite", "mysql", "postgresql"};
inline constexpr std::array<std::string_view, 2> kEveryServer{"mysql", "postgresql"};

/// For INSTANTIATE_TEST_SUITE_P.
[[nodiscard]] inline std::string name_of_database(
    const testing::TestParamInfo<std::string_view>& info
) {
    return std::string(info.param);
}

// Each case of the suite is run on these databases.
#define ON_EVERY_DATABASE(Suite)                                                    \
    INSTANTIATE_TEST_SUITE_P(                                                       \
        OnEveryDatabase, Suite, testing::ValuesIn(kEveryDatabase), name_of_database \
    )
#define ON_EVERY_SERVER(Suite)                                                  \
    INSTANTIATE_TEST_SUITE_P(                                                   \
        OnEveryServer, Suite, testing::ValuesIn(kEveryServer), name_of_database \
    )
#define ON_MYSQL(Suite) \
    INSTANTIATE_TEST_SUITE_P(OnMysql, Suite, testing::Values("mysql"), name_of_database)
#define ON_POSTGRESQL(Suite) \
    INSTANTIATE_TEST_SUITE_P(OnPostgresql, Suite, testing::Values("postgresql"), name_of_database)

/// A case with an empty database of one kind and a connection to it: a file, a database on the
/// shared server, or one on the first such server that the environment names. What every adapter
/// promises is proven on all of them; what is one database's own, on that one.
class AdapterTest : public testing::TestWithParam<std::string_view> {
protected:
    void SetUp() final;

    /// What the cases of a suite begin with; not called when they are skipped.
    virtual void prepare() {}

    [[nodiscard]] std::unique_ptr<persistence::Connection> connect() const {
        return open_connection(url_);
    }

    std::int64_t execute(std::string_view sql, std::initializer_list<Value> parameters = {}) {
        return connection_->execute(sql, {parameters.begin(), parameters.size()});
    }

    /// The first column of all rows; NULL is "".
    [[nodiscard]] std::vector<std::string>
    texts_of(std::string_view sql, std::initializer_list<Value> parameters = {});

    /// That of the first row; "" when there is none.
    [[nodiscard]] std::string
    text_of(std::string_view sql, std::initializer_list<Value> parameters = {});

    /// Runs the grant that an error tells of, which must name one.
    void grant_as_told(const DbError& error) {
        const std::string told = error.what();
        ASSERT_THAT(told, HasSubstr("GRANT "));
        connection_->run_script(told.substr(told.find("GRANT")));
    }

    /// Whether the server is the shared one, which a case may stop and whose options it knows.
    [[nodiscard]] static bool is_own_server();
    [[nodiscard]] static DatabaseServer& own_server();

    /// NOTE (ID_, TEXT_, NUMBER_, FLAG_, TIME_, LONG_), without rows.
    void create_note_table();

    /// The same with the rows a and b, whose numbers are 1 and 2.
    void create_notes();

    /// Reads the columns behind ID_ of the row, which must be there.
    void read_note(std::string_view id, const persistence::RowReader& read);

    std::optional<SqliteFile> file_;
    std::optional<ServerDatabase> database_;
    persistence::DatabaseUrl url_;
    std::unique_ptr<persistence::Connection> connection_;
};

/// The error of opening `url`; its text must never have the password in it.
[[nodiscard]] inline DbError opening_error(const persistence::DatabaseUrl& url) {
    DbError error = error_of([&] { static_cast<void>(open_connection(url)); });
    EXPECT_THAT(error.what(), Not(HasSubstr(url.password)));
    EXPECT_THAT(error.what(), Not(HasSubstr("\n")));
    return error;
}

/// The same, of this kind and with a text as it is said.
inline void expect_opening_error(
    const persistence::DatabaseUrl& url,
    DbErrorKind kind,
    const testing::Matcher<std::string>& text = testing::_,
    const std::source_location& where = std::source_location::current()
) {
    const testing::ScopedTrace trace(where.file_name(), static_cast<int>(where.line()), "expected");
    const DbError error = opening_error(url);
    EXPECT_EQ(error.kind(), kind) << error.what();
    EXPECT_THAT(std::string(error.what()), text);
}

}  // namespace jobstrand::test
