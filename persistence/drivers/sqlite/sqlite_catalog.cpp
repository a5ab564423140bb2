#include "persistence/drivers/sqlite/sqlite_catalog.hpp"

namespace jobstrand::persistence {

namespace {

using schema::ColumnKind;

/// What SQLite makes of a declared type (https://sqlite.org/datatype3.html, 3.1): the first word
/// that occurs in it decides.
enum class Affinity { integer, text, blob, real, numeric };

Affinity affinity_of(const std::string& words) {
    const auto has = [&words](std::string_view part) {
        return words.find(part) != std::string::npos;
    };
    if (has("int")) {
        return Affinity::integer;
    }
    if (has("char") || has("clob") || has("text")) {
        return Affinity::text;
    }
    if (has("blob") || words.empty()) {
        return Affinity::blob;
    }
    return has("real") || has("floa") || has("doub") ? Affinity::real : Affinity::numeric;
}

TypeFit holds_if(bool is_fit) {
    return is_fit ? TypeFit::holds : TypeFit::other;
}

/// SQLite heeds no lengths, but whoever declares one says what the column is for. Times are texts,
/// which a column of numbers keeps as they are.
TypeFit sqlite_type_fit(std::string_view type, ColumnKind kind) {
    const TypeText text = read_type(type);
    const Affinity affinity = affinity_of(text.words);
    switch (kind) {
        case ColumnKind::id:
        case ColumnKind::app_id:
        case ColumnKind::name:
        case ColumnKind::value:
        case ColumnKind::message:
        case ColumnKind::names:
            return affinity == Affinity::text ? length_fit(text.length, kind) : TypeFit::other;
        case ColumnKind::integer:
        case ColumnKind::big_integer:
        case ColumnKind::boolean:
            return holds_if(affinity == Affinity::integer || affinity == Affinity::numeric);
        case ColumnKind::timestamp:
            return holds_if(affinity == Affinity::text || affinity == Affinity::numeric);
        case ColumnKind::bytes:
            return holds_if(affinity == Affinity::blob);
    }
    return TypeFit::other;
}

TextFit sqlite_text_fit(std::string_view collation, ColumnKind /*kind*/) {
    return collation.empty() || collation == "BINARY" ? TextFit::holds : TextFit::compares_loosely;
}

/// The catalog leaves out the parentheses of a computed default.
std::string sqlite_plain_default(std::string_view sql) {
    if (sql.starts_with('(') && sql.ends_with(')')) {
        sql.remove_prefix(1);
        sql.remove_suffix(1);
    }
    return std::string(sql);
}

}  // namespace

constinit const Catalog kSqliteCatalog{
    // Only an index tells the collation of its columns, so only that of the key is known.
    .columns =
        "SELECT t.name, c.name, c.type, c.\"notnull\", c.dflt_value,"
        " CASE WHEN c.pk > 0 THEN"
        " (SELECT x.coll FROM pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x"
        " WHERE i.origin = 'pk' AND x.name = c.name) END"
        " FROM sqlite_master t, pragma_table_info(t.name) c"
        " WHERE t.type = 'table'",
    .indexes =
        "SELECT t.name, i.name,"
        " COALESCE(x.name, 'an expression') || CASE WHEN x.\"desc\" THEN ' DESC' ELSE '' END,"
        " i.origin = 'pk', i.\"unique\", i.partial"
        " FROM sqlite_master t, pragma_index_list(t.name) i, pragma_index_xinfo(i.name) x"
        " WHERE t.type = 'table' AND x.key"
        " ORDER BY t.name, i.name, x.seqno",
    .type_fit = sqlite_type_fit,
    .text_fit = sqlite_text_fit,
    .plain_default = sqlite_plain_default,  // Columns that there are cannot be changed.
};

}  // namespace jobstrand::persistence
