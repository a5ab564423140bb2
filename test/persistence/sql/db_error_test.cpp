#include "persistence/sql/db_error.hpp"

#include "persistence/drivers/sqlite/sqlite_backend.hpp"

#include <gtest/gtest.h>

#include <set>

namespace jobstrand::persistence {
namespace {

struct KindRow {
    DbErrorKind kind;
    std::string_view name;
    bool transient;
    bool outage;
    bool poisons;
};

TEST(DbError, Its_kind_says_what_can_be_done) {
    const std::vector<KindRow> rows{
        {DbErrorKind::conflict, "conflict", true, false, false},
        {DbErrorKind::busy, "busy", true, false, false},
        {DbErrorKind::connection_lost, "connection_lost", true, true, true},
        {DbErrorKind::in_doubt, "in_doubt", false, true, true},
        {DbErrorKind::duplicate_key, "duplicate_key", false, false, false},
        {DbErrorKind::too_long, "too_long", false, false, false},
        {DbErrorKind::read_only, "read_only", false, true, true},
        {DbErrorKind::storage_full, "storage_full", false, true, false},
        {DbErrorKind::not_a_database, "not_a_database", false, true, false},
        {DbErrorKind::access_denied, "access_denied", false, false, false},
        {DbErrorKind::unreachable, "unreachable", false, true, false},
        {DbErrorKind::schema_missing, "schema_missing", false, false, false},
        {DbErrorKind::unreadable, "unreadable", false, false, false},
        {DbErrorKind::other, "other", false, false, false},
    };
    for (const KindRow& row : rows) {
        const DbError error(row.kind, "what happened");
        EXPECT_EQ(error.kind(), row.kind);
        EXPECT_EQ(name_of(error.kind()), row.name);
        EXPECT_EQ(error.is_transient(), row.transient) << row.name;
        EXPECT_EQ(error.is_outage(), row.outage) << row.name;
        EXPECT_EQ(error.poisons_connection(), row.poisons) << row.name;
        EXPECT_STREQ(error.what(), "what happened");
    }
}

struct CodeRow {
    std::string_view name;
    int code;
    std::string_view message;
    DbErrorKind kind;
};

/// The numbers of sqlite3.h: they are a stable interface.
const std::vector<CodeRow> kSqliteCodes{
    {"SQLITE_ERROR, table", 1, "no such table: ACT_RU_JOB", DbErrorKind::schema_missing},
    {"SQLITE_ERROR, column", 1, "no such column: REV_", DbErrorKind::schema_missing},
    {"SQLITE_ERROR, insert", 1, "table X has no column named Y", DbErrorKind::schema_missing},
    {"SQLITE_ERROR, syntax", 1, "near \"SELEC\": syntax error", DbErrorKind::other},
    {"SQLITE_ERROR, parameters", 1, "too many SQL variables", DbErrorKind::too_long},
    {"SQLITE_ERROR, depth",
     1,
     "Expression tree is too large (maximum depth 1000)",
     DbErrorKind::too_long},
    {"SQLITE_INTERNAL", 2, "", DbErrorKind::other},
    {"SQLITE_PERM", 3, "", DbErrorKind::access_denied},
    {"SQLITE_ABORT", 4, "", DbErrorKind::other},
    {"SQLITE_BUSY", 5, "database is locked", DbErrorKind::busy},
    {"SQLITE_BUSY_RECOVERY", 261, "", DbErrorKind::busy},
    {"SQLITE_BUSY_SNAPSHOT", 517, "", DbErrorKind::conflict},
    {"SQLITE_BUSY_TIMEOUT", 773, "", DbErrorKind::busy},
    {"SQLITE_LOCKED", 6, "", DbErrorKind::busy},
    {"SQLITE_LOCKED_SHAREDCACHE", 262, "", DbErrorKind::busy},
    {"SQLITE_NOMEM", 7, "", DbErrorKind::other},
    {"SQLITE_READONLY", 8, "", DbErrorKind::read_only},
    {"SQLITE_READONLY_RECOVERY", 264, "", DbErrorKind::read_only},
    {"SQLITE_READONLY_CANTLOCK", 520, "", DbErrorKind::read_only},
    {"SQLITE_READONLY_DBMOVED", 1032, "", DbErrorKind::connection_lost},
    {"SQLITE_READONLY_DIRECTORY", 1544, "", DbErrorKind::read_only},
    {"SQLITE_IOERR", 10, "", DbErrorKind::other},
    {"SQLITE_IOERR_WRITE", 778, "", DbErrorKind::other},
    {"SQLITE_IOERR_FSYNC", 1034, "", DbErrorKind::other},
    {"SQLITE_IOERR_SHMSIZE", 4874, "", DbErrorKind::storage_full},
    {"SQLITE_CORRUPT", 11, "database disk image is malformed", DbErrorKind::other},
    {"SQLITE_FULL", 13, "database or disk is full", DbErrorKind::storage_full},
    {"SQLITE_CANTOPEN", 14, "", DbErrorKind::unreachable},
    {"SQLITE_PROTOCOL", 15, "", DbErrorKind::busy},
    {"SQLITE_SCHEMA", 17, "", DbErrorKind::conflict},
    {"SQLITE_TOOBIG", 18, "", DbErrorKind::too_long},
    {"SQLITE_CONSTRAINT", 19, "", DbErrorKind::other},
    {"SQLITE_CONSTRAINT_CHECK", 275, "", DbErrorKind::other},
    {"SQLITE_CONSTRAINT_NOTNULL", 1299, "", DbErrorKind::other},
    {"SQLITE_CONSTRAINT_PRIMARYKEY", 1555, "", DbErrorKind::duplicate_key},
    {"SQLITE_CONSTRAINT_UNIQUE", 2067, "", DbErrorKind::duplicate_key},
    {"SQLITE_CONSTRAINT_ROWID", 2579, "", DbErrorKind::duplicate_key},
    {"SQLITE_MISUSE", 21, "", DbErrorKind::other},
    {"SQLITE_AUTH", 23, "", DbErrorKind::access_denied},
    {"SQLITE_NOTADB", 26, "", DbErrorKind::not_a_database},
};

TEST(ClassifySqlite, Every_code_has_its_kind) {
    for (const CodeRow& row : kSqliteCodes) {
        EXPECT_EQ(classify_sqlite(row.code, row.message), row.kind) << row.name;
    }
}

TEST(ClassifySqlite, Only_an_input_output_error_leaves_a_commit_in_doubt) {
    const std::set<std::string_view> in_doubt{
        "SQLITE_IOERR",
        "SQLITE_IOERR_WRITE",
        "SQLITE_IOERR_FSYNC",
    };
    for (const CodeRow& row : kSqliteCodes) {
        const DbErrorKind kind = in_doubt.contains(row.name) ? DbErrorKind::in_doubt : row.kind;
        EXPECT_EQ(classify_sqlite_commit(row.code, row.message), kind) << row.name;
    }
}

}  // namespace
}  // namespace jobstrand::persistence
