#include "persistence/drivers/mysql/mysql_dialect.hpp"
#include "persistence/drivers/postgresql/postgresql_dialect.hpp"
#include "persistence/drivers/sqlite/sqlite_dialect.hpp"

#include <gtest/gtest.h>

#include <string_view>
#include <vector>

namespace jobstrand::persistence {
namespace {

using schema::ColumnKind;

TEST(Catalog, A_type_is_read_without_its_length) {
    const auto expect = [](std::string_view text, std::string_view words, std::size_t length) {
        const TypeText type = read_type(text);
        EXPECT_EQ(type.words, words) << text;
        EXPECT_EQ(type.length.value_or(0), length) << text;
    };
    expect("varchar(64)", "varchar", 64);
    expect("VARCHAR(64)", "varchar", 64);
    expect("text", "text", 0);
    expect("", "", 0);
    expect("int(10) unsigned", "int unsigned", 10);
    expect("timestamp(3) without time zone", "timestamp without time zone", 3);
    expect("numeric(10,2)", "numeric", 0);
    expect("odd(", "odd(", 0);
    expect("odd()", "odd", 0);
    expect("odd)3(", "odd)3(", 0);
}

struct Case {
    std::string_view type;
    ColumnKind kind;
    TypeFit fit;
};

void expect_fits(const Catalog& catalog, const std::vector<Case>& cases) {
    for (const Case& one : cases) {
        EXPECT_EQ(catalog.type_fit(one.type, one.kind), one.fit)
            << one.type << " for kind " << static_cast<int>(one.kind);
    }
}

TEST(Catalog, Sqlite_tells_types_by_their_affinity) {
    expect_fits(
        kSqliteCatalog,
        {
            {"TEXT", ColumnKind::message, TypeFit::holds},
            {"varchar(64)", ColumnKind::id, TypeFit::holds},
            {"varchar(63)", ColumnKind::id, TypeFit::too_narrow},
            {"NVARCHAR(255)", ColumnKind::name, TypeFit::holds},
            {"clob", ColumnKind::message, TypeFit::holds},
            {"integer", ColumnKind::name, TypeFit::other},
            {"", ColumnKind::name, TypeFit::other},
            {"numeric", ColumnKind::name, TypeFit::other},
            {"BIGINT", ColumnKind::integer, TypeFit::holds},
            {"smallint", ColumnKind::big_integer, TypeFit::holds},
            {"boolean", ColumnKind::boolean, TypeFit::holds},
            {"TEXT", ColumnKind::integer, TypeFit::other},
            {"double", ColumnKind::integer, TypeFit::other},
            {"timestamp(3)", ColumnKind::timestamp, TypeFit::holds},
            {"datetime", ColumnKind::timestamp, TypeFit::holds},
            {"TEXT", ColumnKind::timestamp, TypeFit::holds},
            {"integer", ColumnKind::timestamp, TypeFit::other},
            {"real", ColumnKind::timestamp, TypeFit::other},
            {"BLOB", ColumnKind::bytes, TypeFit::holds},
            {"", ColumnKind::bytes, TypeFit::holds},
            {"TEXT", ColumnKind::bytes, TypeFit::other},
        }
    );
}

TEST(Catalog, Mysql_tells_types_by_their_words) {
    expect_fits(
        kMysqlCatalog,
        {
            {"varchar(64)", ColumnKind::id, TypeFit::holds},
            {"varchar(36)", ColumnKind::id, TypeFit::too_narrow},
            {"varchar(299)", ColumnKind::value, TypeFit::too_narrow},
            {"varchar(3999)", ColumnKind::message, TypeFit::too_narrow},
            {"varchar(999)", ColumnKind::names, TypeFit::too_narrow},
            {"longtext", ColumnKind::message, TypeFit::holds},
            {"text", ColumnKind::message, TypeFit::holds},
            {"tinytext", ColumnKind::name, TypeFit::other},
            {"char(64)", ColumnKind::id, TypeFit::other},
            {"varbinary(64)", ColumnKind::id, TypeFit::other},
            {"int(11)", ColumnKind::integer, TypeFit::holds},
            {"int", ColumnKind::integer, TypeFit::holds},
            {"int(10) unsigned", ColumnKind::integer, TypeFit::other},
            {"smallint(6)", ColumnKind::integer, TypeFit::too_narrow},
            {"bigint(20)", ColumnKind::integer, TypeFit::holds},
            {"int(11)", ColumnKind::big_integer, TypeFit::too_narrow},
            {"bigint(20)", ColumnKind::big_integer, TypeFit::holds},
            {"double", ColumnKind::big_integer, TypeFit::other},
            {"tinyint(1)", ColumnKind::boolean, TypeFit::holds},
            {"tinyint(4)", ColumnKind::boolean, TypeFit::holds},
            {"varchar(5)", ColumnKind::boolean, TypeFit::other},
            {"timestamp(3)", ColumnKind::timestamp, TypeFit::holds},
            {"datetime(6)", ColumnKind::timestamp, TypeFit::holds},
            {"timestamp", ColumnKind::timestamp, TypeFit::too_narrow},
            {"datetime(2)", ColumnKind::timestamp, TypeFit::too_narrow},
            {"date", ColumnKind::timestamp, TypeFit::other},
            {"longblob", ColumnKind::bytes, TypeFit::holds},
            {"mediumblob", ColumnKind::bytes, TypeFit::holds},
            {"blob", ColumnKind::bytes, TypeFit::too_narrow},
            {"longtext", ColumnKind::bytes, TypeFit::other},
        }
    );
}

TEST(Catalog, Postgresql_tells_types_by_their_words) {
    expect_fits(
        kPostgresqlCatalog,
        {
            {"character varying(64)", ColumnKind::id, TypeFit::holds},
            {"character varying(63)", ColumnKind::id, TypeFit::too_narrow},
            {"character varying", ColumnKind::message, TypeFit::holds},
            {"text", ColumnKind::message, TypeFit::holds},
            {"character(64)", ColumnKind::id, TypeFit::other},
            {"uuid", ColumnKind::id, TypeFit::other},
            {"integer", ColumnKind::integer, TypeFit::holds},
            {"smallint", ColumnKind::integer, TypeFit::too_narrow},
            {"bigint", ColumnKind::integer, TypeFit::holds},
            {"integer", ColumnKind::big_integer, TypeFit::too_narrow},
            {"bigint", ColumnKind::big_integer, TypeFit::holds},
            {"numeric(20,0)", ColumnKind::big_integer, TypeFit::other},
            {"boolean", ColumnKind::boolean, TypeFit::holds},
            {"integer", ColumnKind::boolean, TypeFit::other},
            {"timestamp(3) without time zone", ColumnKind::timestamp, TypeFit::holds},
            {"timestamp without time zone", ColumnKind::timestamp, TypeFit::holds},
            {"timestamp(0) without time zone", ColumnKind::timestamp, TypeFit::too_narrow},
            {"date", ColumnKind::timestamp, TypeFit::other},
            {"text", ColumnKind::timestamp, TypeFit::other},
            {"bytea", ColumnKind::bytes, TypeFit::holds},
            {"oid", ColumnKind::bytes, TypeFit::other},
        }
    );
}

TEST(Catalog, Sqlite_has_texts_of_every_character_that_may_compare_loosely) {
    EXPECT_EQ(kSqliteCatalog.text_fit("", ColumnKind::id), TextFit::holds);
    EXPECT_EQ(kSqliteCatalog.text_fit("BINARY", ColumnKind::id), TextFit::holds);
    EXPECT_EQ(kSqliteCatalog.text_fit("NOCASE", ColumnKind::id), TextFit::compares_loosely);
    EXPECT_EQ(kSqliteCatalog.text_fit("RTRIM", ColumnKind::name), TextFit::compares_loosely);
}

TEST(Catalog, Mysql_tells_the_character_set_by_the_collation) {
    const auto fit = kMysqlCatalog.text_fit;
    EXPECT_EQ(fit("utf8mb4_bin", ColumnKind::message), TextFit::holds);
    EXPECT_EQ(fit("utf8mb3_bin", ColumnKind::message), TextFit::lacks_characters);
    EXPECT_EQ(fit("utf8_bin", ColumnKind::name), TextFit::lacks_characters);
    EXPECT_EQ(fit("latin1_swedish_ci", ColumnKind::name), TextFit::lacks_characters);
    EXPECT_EQ(fit("utf8mb4_general_ci", ColumnKind::name), TextFit::compares_loosely);
    EXPECT_EQ(fit("ascii_bin", ColumnKind::id), TextFit::holds);
    EXPECT_EQ(fit("utf8mb3_bin", ColumnKind::id), TextFit::holds);
    EXPECT_EQ(fit("utf8mb3_general_ci", ColumnKind::id), TextFit::compares_loosely);
}

TEST(Catalog, Postgresql_compares_ids_byte_by_byte_in_some_collations) {
    const auto fit = kPostgresqlCatalog.text_fit;
    for (const std::string_view exact : {"C", "POSIX", "C.UTF-8", ""}) {
        EXPECT_EQ(fit(exact, ColumnKind::id), TextFit::holds) << exact;
    }
    for (const std::string_view loose : {"default", "en_US.UTF-8", "en-x-icu"}) {
        EXPECT_EQ(fit(loose, ColumnKind::id), TextFit::compares_loosely) << loose;
        EXPECT_EQ(fit(loose, ColumnKind::name), TextFit::holds) << loose;
    }
}

TEST(Catalog, One_default_has_one_text_for_all_spellings) {
    const auto sqlite = kSqliteCatalog.plain_default;
    EXPECT_EQ(sqlite("(strftime('%Y', 'now'))"), sqlite("strftime('%Y', 'now')"));
    EXPECT_NE(sqlite("1"), sqlite("'1'"));
    const auto mysql = kMysqlCatalog.plain_default;
    EXPECT_EQ(mysql("current_timestamp(3)"), mysql("CURRENT_TIMESTAMP(3)"));
    EXPECT_EQ(mysql("'UTC'"), mysql("UTC"));
    EXPECT_EQ(mysql("true"), mysql("1"));
    EXPECT_EQ(mysql("FALSE"), mysql("0"));
    EXPECT_EQ(mysql("''"), "");
    EXPECT_NE(mysql("3"), mysql("5"));
    const auto postgresql = kPostgresqlCatalog.plain_default;
    EXPECT_EQ(postgresql("'UTC'::character varying"), "'UTC'");
    EXPECT_EQ(postgresql("''::character varying"), "''");
    EXPECT_EQ(
        postgresql("(now() AT TIME ZONE 'UTC'::text)"), postgresql("(now() AT TIME ZONE 'UTC')")
    );
    EXPECT_EQ(postgresql("timezone('UTC'::text, now())"), postgresql("(now() AT TIME ZONE 'UTC')"));
    EXPECT_NE(postgresql("now()"), postgresql("'now'::text"));
}

}  // namespace
}  // namespace jobstrand::persistence
