#pragma once

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

    std::string_view product;
    std::string_view version_sql;

    /// The settings that decide what survives a power cut.
    std::span<const Setting> durability = {};

    /// How well the database digests what a queue does to it. Not every user may ask.
    std::span<const Figure> health = {};

    /// Behind the path of a database file: the file of its write-ahead log. Empty: the log is the
    /// server's own.
    std::string_view log_suffix = {};
};

}  // namespace jobstrand::persistence
