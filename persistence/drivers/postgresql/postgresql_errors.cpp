#include "persistence/drivers/postgresql/postgresql_errors.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <span>

namespace jobstrand::persistence {

namespace {

struct State {
    std::string_view sqlstate;
    DbErrorKind kind;
};

/// Single codes; they win over their class.
constexpr State kStates[] = {
    {"0A000", DbErrorKind::conflict},         // "cached plan must not change result type"
    {"22001", DbErrorKind::too_long},         // string_data_right_truncation
    {"22003", DbErrorKind::too_long},         // numeric_value_out_of_range
    {"22007", DbErrorKind::too_long},         // invalid_datetime_format
    {"22008", DbErrorKind::too_long},         // datetime_field_overflow
    {"22021", DbErrorKind::too_long},         // character_not_in_repertoire
    {"22P05", DbErrorKind::too_long},         // untranslatable_character
    {"23505", DbErrorKind::duplicate_key},    // unique_violation
    {"25006", DbErrorKind::read_only},        // read_only_sql_transaction
    {"25P03", DbErrorKind::connection_lost},  // idle_in_transaction_session_timeout
    {"26000", DbErrorKind::connection_lost},  // Unknown statement: a pooler has changed the server.
    {"3D000", DbErrorKind::unreachable},      // invalid_catalog_name
    {"3F000", DbErrorKind::schema_missing},   // invalid_schema_name
    {"40001", DbErrorKind::conflict},         // serialization_failure
    {"40P01", DbErrorKind::conflict},         // deadlock_detected
    {"42501", DbErrorKind::access_denied},    // insufficient_privilege
    {"42701", DbErrorKind::duplicate_key},    // duplicate_column
    {"42703", DbErrorKind::schema_missing},   // undefined_column
    {"42710", DbErrorKind::duplicate_key},    // duplicate_object
    {"42P01", DbErrorKind::schema_missing},   // undefined_table
    {"42P07", DbErrorKind::duplicate_key},    // duplicate_table
    {"53100", DbErrorKind::storage_full},     // disk_full
    {"53200", DbErrorKind::busy},             // out_of_memory
    {"53300", DbErrorKind::busy},             // too_many_connections
    {"55006", DbErrorKind::busy},             // object_in_use
    {"55P03", DbErrorKind::busy},             // lock_not_available
    {"57014", DbErrorKind::busy},             // query_canceled: the statement's time is over.
    {"57P01", DbErrorKind::connection_lost},  // admin_shutdown
    {"57P02", DbErrorKind::connection_lost},  // crash_shutdown
    {"57P03", DbErrorKind::connection_lost},  // cannot_connect_now
    {"57P05", DbErrorKind::connection_lost},  // idle_session_timeout
};

/// The first two characters of a code.
constexpr State kClasses[] = {
    {"08", DbErrorKind::connection_lost},
    {"28", DbErrorKind::access_denied},
    {"54", DbErrorKind::too_long},
};

DbErrorKind kind_in(std::span<const State> known, std::string_view sqlstate) {
    const auto found = std::ranges::find(known, sqlstate, &State::sqlstate);
    return found == known.end() ? DbErrorKind::other : found->kind;
}

bool contains(std::string_view message, std::string_view part) {
    return message.find(part) != std::string_view::npos;
}

bool is_other_protocol(std::string_view message) {
    return contains(message, "invalid response to") ||
           contains(message, "expected authentication request");
}

/// Without the word for the severity, which is in the server's language.
std::string_view without_severity(std::string_view message) {
    constexpr std::size_t kLongestWord = 20;
    const std::size_t end = message.find(":  ");
    return end < kLongestWord ? message.substr(end + 3) : message;
}

/// What the server means by an error about a value, for the person who gave it; empty: its own
/// words say it.
std::string_view about_value(std::string_view sqlstate) {
    if (sqlstate == "22021") {
        return "a text that was given is not valid UTF-8";
    }
    if (sqlstate == "22P05") {
        return "a character has no place in the encoding of the database: it must be UTF8";
    }
    return {};
}

/// Lines and tabs become single spaces.
std::string on_one_line(std::string_view message) {
    std::string line;
    for (const char c : message) {
        const bool is_space = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!is_space) {
            line += c;
        } else if (!line.empty() && line.back() != ' ') {
            line += ' ';
        }
    }
    if (line.ends_with(' ')) {
        line.pop_back();
    }
    return line;
}

}  // namespace

DbErrorKind classify_postgresql(std::string_view sqlstate) {
    const DbErrorKind kind = kind_in(kStates, sqlstate);
    return kind == DbErrorKind::other ? kind_in(kClasses, sqlstate.substr(0, 2)) : kind;
}

DbErrorKind classify_postgresql_connect(std::string_view sqlstate, std::string_view message) {
    if (is_other_protocol(message)) {
        return DbErrorKind::not_a_database;
    }
    const DbErrorKind kind = classify_postgresql(sqlstate);
    const bool is_answer = kind != DbErrorKind::other && kind != DbErrorKind::connection_lost;
    return is_answer ? kind : DbErrorKind::unreachable;
}

std::string_view postgresql_connect_advice(std::string_view sqlstate, std::string_view message) {
    if (is_other_protocol(message)) {
        return "what answers there is not a PostgreSQL server: check host and port";
    }
    if (contains(message, "no password supplied")) {
        return "the server wants the password of this user, and none was found: neither in the "
               "URL, by its password_file or password_command, nor in PGPASSWORD or PGPASSFILE";
    }
    if (sqlstate == "28P01") {
        return "the server refuses this user or password";
    }
    if (sqlstate == "28000") {
        return "the server lets this user not in from here: check its role and pg_hba.conf";
    }
    if (sqlstate == "3D000") {
        return "there is no such database: create it first, or correct the name";
    }
    if (sqlstate == "42501") {
        return "this user has no rights there";
    }
    if (sqlstate == "53300") {
        return "the server has no connection left: raise its max_connections, or use fewer";
    }
    if (sqlstate == "57P03") {
        return "the server is starting or stopping: try again";
    }
    if (contains(message, "could not translate host name")) {
        return "no such host: correct its name";
    }
    if (contains(message, "channel binding") ||
        contains(message, "authentication method requirement")) {
        return "the server cannot prove that it knows the password (SCRAM), and gets it only with "
               "ssl=verify, or with clear_password=allow in the URL";
    }
    if (contains(message, "SSL") || contains(message, "certificate")) {
        return "TLS failed: check the options ssl, ssl_ca, ssl_cert and ssl_key, and the server's "
               "certificate";
    }
    return sqlstate.empty() ? "no server answers there: check host and port, and that the server "
                              "runs"
                            : "";
}

std::string postgresql_error_text(
    std::string_view attempted,
    std::string_view message,
    std::string_view sqlstate
) {
    std::string said = on_one_line(without_severity(message));
    if (said.empty()) {
        said = "the client library gives no reason";
    }
    if (const std::string_view sentence = about_value(sqlstate); !sentence.empty()) {
        said = fmt::format("{}: {}", sentence, said);
    }
    const bool has_code = sqlstate.find_first_not_of(' ') != std::string_view::npos;
    return has_code ? fmt::format("{}: {} ({})", attempted, said, sqlstate)
                    : fmt::format("{}: {}", attempted, said);
}

bool is_unsupported(const DbError& error) {
    return std::string_view(error.what()).ends_with("(0A000)");
}

}  // namespace jobstrand::persistence
