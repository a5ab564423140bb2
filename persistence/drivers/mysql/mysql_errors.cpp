#include "persistence/drivers/mysql/mysql_errors.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace jobstrand::persistence {

namespace {

constexpr int kNotReady = 1047;      // ER_UNKNOWN_COM_ERROR; a Galera node without its cluster.
constexpr int kUnknownError = 1105;  // ER_UNKNOWN_ERROR: only the message says which.
constexpr int kForbiddenNow = 1290;  // ER_OPTION_PREVENTS_STATEMENT
constexpr int kErrorDuringCommit = 1180;

bool contains(std::string_view message, std::string_view part) {
    return message.find(part) != std::string_view::npos;
}

/// Errors of the client library, and of servers that end the connection.
bool is_lost_connection(int code) {
    switch (code) {
        case 1053:  // ER_SERVER_SHUTDOWN
        case 1152:  // ER_ABORTING_CONNECTION
        case 1158:  // ER_NET_READ_ERROR
        case 1159:  // ER_NET_READ_INTERRUPTED
        case 1160:  // ER_NET_ERROR_ON_WRITE
        case 1161:  // ER_NET_WRITE_INTERRUPTED
        case 1184:  // ER_NEW_ABORTING_CONNECTION
        case 1243:  // ER_UNKNOWN_STMT_HANDLER: a proxy has changed the server behind our back.
        case 1927:  // ER_CONNECTION_KILLED
        case 2001:  // CR_SOCKET_CREATE_ERROR
        case 2002:  // CR_CONNECTION_ERROR
        case 2003:  // CR_CONN_HOST_ERROR
        case 2006:  // CR_SERVER_GONE_ERROR
        case 2012:  // CR_SERVER_HANDSHAKE_ERR
        case 2013:  // CR_SERVER_LOST
        case 2014:  // CR_COMMANDS_OUT_OF_SYNC
        case 2026:  // CR_SSL_CONNECTION_ERROR: so a lost connection is told that has TLS.
        case 2027:  // CR_MALFORMED_PACKET
        case 2055:  // CR_SERVER_LOST_EXTENDED
        case 2056:  // CR_STMT_CLOSED
        case 3169:  // ER_SESSION_WAS_KILLED
        case 4031:  // ER_CLIENT_INTERACTION_TIMEOUT
        case kNotReady:
            return true;
        default:
            return false;
    }
}

/// What vtgate, Vitess's proxy, says while a shard has no primary that takes statements.
bool is_without_primary(int code, std::string_view message) {
    return code == kUnknownError && (contains(message, "no healthy tablet available") ||
                                     contains(message, "operation not allowed in state ") ||
                                     contains(message, "primary is not serving") ||
                                     contains(message, "retry the transaction") ||
                                     contains(message, "rpc error: code = Unavailable"));
}

/// Errors after which the same transaction may succeed: kinds conflict and busy, else other.
DbErrorKind classify_contention(int code) {
    switch (code) {
        case 1020:  // ER_CHECKREAD: the row has changed since the snapshot.
        case 1213:  // ER_LOCK_DEADLOCK; on Galera a lost certification as well.
        case 1412:  // ER_TABLE_DEF_CHANGED
        case 1614:  // ER_XA_RBDEADLOCK
        case 1615:  // ER_NEED_REPREPARE
        case 2057:  // CR_NEW_STMT_METADATA
        case 3101:  // ER_TRANSACTION_ROLLBACK_DURING_COMMIT: Group Replication's certification.
            return DbErrorKind::conflict;
        case 1040:  // ER_CON_COUNT_ERROR
        case 1203:  // ER_TOO_MANY_USER_CONNECTIONS
        case 1205:  // ER_LOCK_WAIT_TIMEOUT
        case 1226:  // ER_USER_LIMIT_REACHED
        case 1317:  // ER_QUERY_INTERRUPTED
        case 1461:  // ER_MAX_PREPARED_STMT_COUNT_REACHED
        case 1969:  // ER_STATEMENT_TIMEOUT
        case 3024:  // ER_QUERY_TIMEOUT
        case 3572:  // ER_LOCK_NOWAIT
            return DbErrorKind::busy;
        default:
            return DbErrorKind::other;
    }
}

/// Errors about the values of a statement: kinds duplicate_key and too_long, else other.
DbErrorKind classify_value(int code) {
    switch (code) {
        case 1022:  // ER_DUP_KEY
        case 1060:  // ER_DUP_FIELDNAME
        case 1061:  // ER_DUP_KEYNAME
        case 1062:  // ER_DUP_ENTRY
        case 1586:  // ER_DUP_ENTRY_WITH_KEY_NAME
            return DbErrorKind::duplicate_key;
        case 1118:  // ER_TOO_BIG_ROWSIZE
        case 1153:  // ER_NET_PACKET_TOO_LARGE
        case 1264:  // ER_WARN_DATA_OUT_OF_RANGE
        case 1265:  // WARN_DATA_TRUNCATED
        case 1267:  // ER_CANT_AGGREGATE_2COLLATIONS: a text outside of ASCII beside an id.
        case 1292:  // ER_TRUNCATED_WRONG_VALUE: a time outside of what the column holds.
        case 1301:  // ER_WARN_ALLOWED_PACKET_OVERFLOWED
        case 1366:  // ER_TRUNCATED_WRONG_VALUE_FOR_FIELD: a 4-byte character in a utf8mb3 column.
        case 1406:  // ER_DATA_TOO_LONG
        case 2020:  // CR_NET_PACKET_TOO_LARGE
        case 3988:  // ER_CANNOT_CONVERT_STRING: MySQL's answer to such a character.
            return DbErrorKind::too_long;
        default:
            return DbErrorKind::other;
    }
}

/// What the server means by an error about a value, for the person who gave it; empty: its own
/// words say it.
std::string_view about_value(int code) {
    switch (code) {
        case 1267:
            return "an id here has ASCII characters only, and what was given has others";
        case 1292:
            return "a time lies outside of what its column holds, or is none";
        case 1366:
        case 3988:
            return "a character has no place in the character set of its column";
        default:
            return {};
    }
}

/// Errors that only a person can end: rights, the schema, a full disk, a wrong server.
DbErrorKind classify_environment(int code) {
    switch (code) {
        case 1021:  // ER_DISK_FULL
        case 1114:  // ER_RECORD_FILE_FULL
        case 3675:  // ER_DISK_FULL_NOWAIT
            return DbErrorKind::storage_full;
        case 1792:  // ER_CANT_EXECUTE_IN_READ_ONLY_TRANSACTION
        case 1836:  // ER_READ_ONLY_MODE
            return DbErrorKind::read_only;
        case 1044:  // ER_DBACCESS_DENIED_ERROR
        case 1045:  // ER_ACCESS_DENIED_ERROR
        case 1129:  // ER_HOST_IS_BLOCKED
        case 1130:  // ER_HOST_NOT_PRIVILEGED
        case 1142:  // ER_TABLEACCESS_DENIED_ERROR
        case 1143:  // ER_COLUMNACCESS_DENIED_ERROR
        case 1227:  // ER_SPECIFIC_ACCESS_DENIED_ERROR
        case 1251:  // ER_NOT_SUPPORTED_AUTH_MODE
        case 1370:  // ER_PROCACCESS_DENIED_ERROR
        case 1524:  // ER_PLUGIN_IS_NOT_LOADED
        case 1698:  // ER_ACCESS_DENIED_NO_PASSWORD_ERROR
        case 1820:  // ER_MUST_CHANGE_PASSWORD
        case 1862:  // ER_MUST_CHANGE_PASSWORD_LOGIN
        case 2058:  // CR_PLUGIN_NOT_ALLOWED
        case 2059:  // CR_AUTH_PLUGIN_CANNOT_LOAD
        case 2061:  // CR_AUTH_PLUGIN_ERR
        case 3118:  // ER_ACCOUNT_HAS_BEEN_LOCKED
        case 3159:  // ER_SECURE_TRANSPORT_REQUIRED
        case 4151:  // ER_ACCOUNT_HAS_BEEN_LOCKED of MariaDB
        case 5010:  // CR_PLUGIN_NOT_ALLOWED of MariaDB's library
            return DbErrorKind::access_denied;
        case 1049:  // ER_BAD_DB_ERROR
        case 2005:  // CR_UNKNOWN_HOST
            return DbErrorKind::unreachable;
        case 1054:  // ER_BAD_FIELD_ERROR
        case 1109:  // ER_UNKNOWN_TABLE
        case 1146:  // ER_NO_SUCH_TABLE
        case 1176:  // ER_KEY_DOES_NOT_EXITS
        case 1932:  // ER_NO_SUCH_TABLE_IN_ENGINE
            return DbErrorKind::schema_missing;
        default:
            return DbErrorKind::other;
    }
}

}  // namespace

DbErrorKind classify_mysql(int code, std::string_view message) {
    if (is_lost_connection(code) || is_without_primary(code, message)) {
        return DbErrorKind::connection_lost;
    }
    if (code == kErrorDuringCommit) {
        return DbErrorKind::in_doubt;
    }
    if (contains(message, "No space left on device")) {
        return DbErrorKind::storage_full;
    }
    if (code == kUnknownError && contains(message, "max_allowed_packet")) {
        return DbErrorKind::too_long;
    }
    if (code == kForbiddenNow) {
        const bool read_only = contains(message, "read-only") || contains(message, "read_only");
        return read_only ? DbErrorKind::read_only : DbErrorKind::other;
    }
    for (const auto classify : {classify_contention, classify_value, classify_environment}) {
        if (const DbErrorKind kind = classify(code); kind != DbErrorKind::other) {
            return kind;
        }
    }
    return DbErrorKind::other;
}

bool is_mix_of_character_sets(int code) {
    return code == 1267 || code == 1270 || code == 1271 ||  // ER_CANT_AGGREGATE_(2|3|N)COLLATIONS
           code == 3988;                                    // ER_CANNOT_CONVERT_STRING
}

DbErrorKind classify_mysql_commit(int code, std::string_view message) {
    const DbErrorKind kind = classify_mysql(code, message);
    const bool surely_rolled_back =
        kind == DbErrorKind::conflict || kind == DbErrorKind::read_only || code == kNotReady;
    return surely_rolled_back ? kind : DbErrorKind::in_doubt;
}

DbErrorKind classify_mysql_connect(int code, std::string_view message) {
    switch (code) {
        case 2012:
        case 2027:
            return DbErrorKind::not_a_database;
        default:
            break;
    }
    const DbErrorKind kind = classify_mysql(code, message);
    return kind == DbErrorKind::connection_lost ? DbErrorKind::unreachable : kind;
}

std::string_view mysql_connect_advice(int code, std::string_view message) {
    if (contains(message, "restricted_auth") && contains(message, "'caching_sha2_password'")) {
        return "the server's way to log in (caching_sha2_password) takes the password itself, "
               "which "
               "only a server gets that proves who it is: with "
               "ssl=verify-ca&ssl_ca=FILE in the URL, FILE being the server's ca.pem, or without "
               "TLS with server_public_key=FILE, its public_key.pem; both are in its data "
               "directory";
    }
    if (contains(message, "restricted_auth")) {
        return "the server wants the password itself, and gets it only with ssl=verify, or with "
               "clear_password=allow in the URL";
    }
    switch (code) {
        case 1040:
        case 1203:
        case 1226:
            return "the server has no connection left: raise its max_connections, or use fewer";
        case 1044:
            return "this user has no rights there";
        case 1045:
        case 1698:
            return contains(message, "using password: NO")
                       ? "the server wants the password of this user, and none was found: neither "
                         "in the URL, by its password_file or password_command, nor in MYSQL_PWD"
                       : "the server refuses this user or password";
        case kNotReady:
            return "this Galera node has lost its cluster: bring the other nodes back";
        case 1049:
            return "there is no such database: create it first, or correct the name";
        case 1129:
        case 1130:
            return "the server lets nobody connect from this machine: grant the user its address";
        case 1820:
        case 1862:
            return "the password has expired: set a new one";
        case 2005:
            return "no such host: correct its name";
        case 2026:
            return "TLS failed: check the options ssl, ssl_ca, ssl_cert and ssl_key, and the "
                   "server's "
                   "certificate";
        case 3159:
            return "the server wants TLS: add ssl=require to the URL's options";
        default:
            break;
    }
    switch (classify_mysql_connect(code, message)) {
        case DbErrorKind::unreachable:
            return "no server answers there: check host and port, and that the server runs";
        case DbErrorKind::not_a_database:
            return "what answers there is not a MySQL or MariaDB server: check host and port";
        case DbErrorKind::access_denied:
            return "the server does not let this user in";
        default:
            return {};
    }
}

std::string mysql_grant(std::string_view message, std::string_view database) {
    constexpr std::string_view kBefore = "Access denied for user ";
    const std::size_t begin = message.find(kBefore);
    const std::size_t end = message.find(" to database ");
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) {
        return {};
    }
    const std::string_view account = message.substr(0, end).substr(begin + kBefore.size());
    return fmt::format(": GRANT SELECT, INSERT, UPDATE, DELETE ON `{}`.* TO {}", database, account);
}

std::string mysql_error_text(std::string_view attempted, std::string_view message, int code) {
    const std::string_view sentence = about_value(code);
    const std::string_view said = message.empty() ? "the client library gives no reason" : message;
    std::string text = sentence.empty()
                           ? fmt::format("{}: {} ({})", attempted, said, code)
                           : fmt::format("{}: {}: {} ({})", attempted, sentence, said, code);
    std::ranges::replace(text, '\n', ' ');
    return text;
}

}  // namespace jobstrand::persistence
