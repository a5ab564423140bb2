#include "persistence/drivers/postgresql/postgresql_catalog.hpp"

namespace jobstrand::persistence {

namespace {

using schema::ColumnKind;

TypeFit holds_if(bool is_fit) {
    return is_fit ? TypeFit::holds : TypeFit::other;
}

TypeFit number_fit(std::string_view words, ColumnKind kind) {
    if (words == "bigint" || (words == "integer" && kind == ColumnKind::integer)) {
        return TypeFit::holds;
    }
    return words == "integer" || words == "smallint" ? TypeFit::too_narrow : TypeFit::other;
}

TypeFit postgresql_type_fit(std::string_view text, ColumnKind kind) {
    const TypeText type = read_type(text);
    switch (kind) {
        case ColumnKind::id:
        case ColumnKind::app_id:
        case ColumnKind::name:
        case ColumnKind::value:
        case ColumnKind::message:
        case ColumnKind::names:
            return type.words == "character varying" ? length_fit(type.length, kind)
                                                     : holds_if(type.words == "text");
        case ColumnKind::integer:
        case ColumnKind::big_integer:
            return number_fit(type.words, kind);
        case ColumnKind::boolean:
            return holds_if(type.words == "boolean");
        case ColumnKind::timestamp: {
            constexpr std::size_t kDigitsUnlessSaid = 6;
            return type.words.starts_with("timestamp")
                       ? precision_fit(type.length.value_or(kDigitsUnlessSaid))
                       : TypeFit::other;
        }
        case ColumnKind::bytes:
            return holds_if(type.words == "bytea");
    }
    return TypeFit::other;
}

/// The database is in UTF-8 (see open_postgresql), and equal texts are equal in every collation
/// that it has from the start. The order of ids is another matter.
TextFit postgresql_text_fit(std::string_view collation, ColumnKind kind) {
    const bool is_by_bytes = collation.empty() || collation == "C" || collation == "POSIX" ||
                             collation.starts_with("C.");
    const bool is_id = kind == ColumnKind::id || kind == ColumnKind::app_id;
    return is_by_bytes || !is_id ? TextFit::holds : TextFit::compares_loosely;
}

/// The catalog writes the type of every text behind it: `'UTC'::character varying`. Before
/// PostgreSQL 14 it calls a function by its name that was written as an operator.
std::string postgresql_plain_default(std::string_view sql) {
    std::string plain(sql);
    for (std::size_t cast; (cast = plain.find("::")) != std::string::npos;) {
        const std::size_t end = plain.find_first_not_of("abcdefghijklmnopqrstuvwxyz ", cast + 2);
        plain.erase(cast, end == std::string::npos ? end : end - cast);
    }
    return plain == "timezone('UTC', now())" ? "(now() AT TIME ZONE 'UTC')" : plain;
}

}  // namespace

constinit const Catalog kPostgresqlCatalog{
    // The catalog, because the information schema hides what the user has no rights on; and what a
    // name without a schema stands for. A collation `default` is that of the database.
    .columns =
        "SELECT t.relname, c.attname, format_type(c.atttypid, c.atttypmod),"
        " c.attnotnull AND c.attidentity = '' AND c.attgenerated = '',"
        " pg_get_expr(d.adbin, d.adrelid),"
        " CASE WHEN l.collname = 'default' THEN"
        " (SELECT CASE WHEN COALESCE(to_jsonb(b) ->> 'datlocprovider', 'c') = 'c'"
        " THEN b.datcollate ELSE 'default' END"
        " FROM pg_database b WHERE b.datname = current_database())"
        " ELSE COALESCE(l.collname, '') END"
        " FROM pg_class t JOIN pg_attribute c ON c.attrelid = t.oid"
        " LEFT JOIN pg_attrdef d ON d.adrelid = t.oid AND d.adnum = c.attnum"
        " LEFT JOIN pg_collation l ON l.oid = c.attcollation"
        " WHERE t.relkind IN ('r', 'p') AND pg_table_is_visible(t.oid)"
        " AND t.relnamespace <> 'pg_catalog'::regnamespace"
        " AND c.attnum > 0 AND NOT c.attisdropped",
    .indexes =
        "SELECT t.relname, i.relname, pg_get_indexdef(x.indexrelid, n.number, true)"
        " || CASE WHEN x.indoption[n.number - 1] & 1 = 1 THEN ' DESC' ELSE '' END,"
        " x.indisprimary, x.indisunique, x.indpred IS NOT NULL"
        " FROM pg_index x"
        " JOIN pg_class t ON t.oid = x.indrelid"
        " JOIN pg_class i ON i.oid = x.indexrelid,"
        " generate_series(1, x.indnkeyatts) AS n (number)"
        " WHERE pg_table_is_visible(t.oid) AND x.indisvalid"
        " AND t.relnamespace <> 'pg_catalog'::regnamespace"
        " ORDER BY t.relname, i.relname, n.number",
    .type_fit = postgresql_type_fit,
    .text_fit = postgresql_text_fit,
    .plain_default = postgresql_plain_default,
    .changes =
        {
            .set_type = "ALTER COLUMN {0} TYPE {1}",
            .set_required = "ALTER COLUMN {0} SET NOT NULL",
            .set_optional = "ALTER COLUMN {0} DROP NOT NULL",
            .set_default = "ALTER COLUMN {0} SET DEFAULT {3}",
            .drop_default = "ALTER COLUMN {0} DROP DEFAULT",
        },
    .add_key = "ADD PRIMARY KEY ({0})",
    .grant_target =
        "SELECT 'ON ALL TABLES IN SCHEMA ' || relnamespace::regnamespace"
        " || ' TO ' || quote_ident(current_user)"
        " FROM pg_class WHERE oid = 'act_ru_job'::regclass",
    // Tables are changed by their owner, and by whoever is a member of that role.
    .upgrade_grant =
        "SELECT COALESCE("
        "(SELECT 'GRANT ' || relowner::regrole || ' TO ' || quote_ident(current_user)"
        " FROM pg_class WHERE oid = to_regclass('act_ru_job')"
        " AND NOT pg_has_role(relowner, 'MEMBER')),"
        " 'GRANT USAGE, CREATE ON SCHEMA ' || quote_ident(COALESCE(current_schema(), 'public'))"
        " || ' TO ' || quote_ident(current_user))",
};

}  // namespace jobstrand::persistence
