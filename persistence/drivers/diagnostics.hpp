#pragma once

#include <cstdint>
#include <span>
#include <string_view>

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

}  // namespace jobstrand::persistence
