#pragma once

#include "persistence/drivers/database_url.hpp"
#include "persistence/drivers/url_rules.hpp"
#include "persistence/sql/connection.hpp"
#include "persistence/sql/dialect.hpp"
#include "persistence/sql/job_listener.hpp"
#include "persistence/sql/session_pool.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::persistence {

/// What a person may ask a database about itself, with the SQL that answers. Each statement returns
/// one value.
struct Diagnostics {
    struct Setting {
        std::string_view name;
        std::string_view sql;
    };

    struct Figure {
        std::string_view name;
        std::string_view unit;
        std::string_view sql;
        bool is_counter = false;  ///< It only grows: what matters is how much within some time.
    };

    /// What makes a queue slow in time, or is about to. Its SQL returns at most one row: a number,
    /// and in words whose it is.
    struct Symptom {
        std::string_view name;
        std::string_view unit;
        std::string_view sql;
        std::int64_t most;                ///< More is too much.
        std::string_view advice;          ///< What to do then.
        std::string_view or_sql = {};     ///< For versions that do not know the first.
        std::string_view blind_sql = {};  ///< Whether the user may not see all of it: 0 or 1.
        std::string_view grant = {};      ///< What lets the user see it.
    };

    std::string_view product;
    std::string_view version_sql;

    /// Whether this is the version of a server whose statements the conformance suite runs, and not
    /// of another engine that speaks the same protocol.
    bool (*is_the_servers_own)(std::string_view version) = [](std::string_view) { return true; };

    /// The settings that decide what survives a power cut.
    std::span<const Setting> durability = {};

    /// How well the database digests what a queue does to it. Not every user may ask.
    std::span<const Figure> health = {};

    std::span<const Symptom> symptoms = {};

    /// Behind the path of a database file: the file of its write-ahead log. Empty: the log is the
    /// server's own.
    std::string_view log_suffix = {};
};

/// All that is one database's own. Its folder defines the one value of this type, and the registry
/// lists it. Nobody else tells databases apart: whoever opens one finds its driver by the URL, and
/// whoever has a connection asks it for its dialect.
struct Driver {
    const Dialect& dialect;

    /// Their scheme is the dialect's name.
    UrlRules url;

    /// One connection writes and the others only read.
    bool has_one_writer = false;

    /// Makes an empty database if there is none. nullptr: its administrator has to.
    void (*create)(const DatabaseUrl& url) = nullptr;

    /// The password that the database's own clients would find, in the environment or in a file of
    /// theirs; empty: there is none. nullptr: there are no passwords.
    std::string (*find_password)(const DatabaseUrl& url) = nullptr;

    /// `url` has its password, and one host.
    std::unique_ptr<Connection> (*connect)(const DatabaseUrl& url, SessionPool::Access access);

    /// Which database the URL means now, where that may become another one; empty: none. nullptr:
    /// it means the same all the time.
    std::string (*identity)(const DatabaseUrl& url) = nullptr;

    /// How to hear of jobs that other processes have enqueued, from the one host of the URL; it may
    /// answer that this URL does not want it, with an empty function. nullptr: this database cannot
    /// tell.
    OpenListener (*listener)(const DatabaseUrl& url) = nullptr;

    Diagnostics diagnostics;
};

/// The databases that this program knows, the default first.
[[nodiscard]] std::span<const Driver* const> drivers();

/// nullptr: there is none of this name.
[[nodiscard]] const Driver* find_driver(std::string_view name);

/// The driver for a URL that parse_database_url accepted. Throws std::logic_error for another.
[[nodiscard]] const Driver& driver_of(const DatabaseUrl& url);

/// The names of all databases, as in `a, b or c`.
[[nodiscard]] std::string driver_names();

/// What a database answered about a symptom.
struct SymptomAnswer {
    std::optional<std::int64_t> number = {};  ///< nullopt: there is nothing of the kind.
    std::string words = {};                   ///< Whose it is.
    bool is_blind = false;                    ///< This user may not see all of it.
    std::string error = {};                   ///< Set: it could not be asked.
};

/// A symptom with what was answered about it.
struct ToldSymptom {
    Diagnostics::Symptom symptom;
    SymptomAnswer answer;
};

/// Never throws but for a connection that is lost: DbError.
[[nodiscard]] SymptomAnswer ask_about(Connection& connection, const Diagnostics::Symptom& symptom);

/// All symptoms of a database, and of one in the file `path` how long its log is. Throws likewise.
[[nodiscard]] std::vector<ToldSymptom>
ask_about_all(Connection& connection, const Driver& driver, const std::string& path);

}  // namespace jobstrand::persistence
