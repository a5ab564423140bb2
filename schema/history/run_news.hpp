#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::schema {

/// What a run that is under way tells of itself.
struct RunNews {
    static constexpr std::size_t kNoteLength = 255;      ///< In characters.
    static constexpr std::size_t kBytesOfLines = 8'192;  ///< More would be a log, which belongs
    static constexpr std::size_t kLines = 100;           ///< elsewhere.

    std::optional<double> progress = {};  ///< From 0 to 1; nullopt: it has not said.
    std::string note = {};                ///< What it does just now.
    std::string lines = {};  ///< The last ones, each with its end but perhaps the last.

    bool operator==(const RunNews&) const = default;

    /// Both are cut to what may be stored, and each byte that may not stand there is replaced.
    void set_note(std::string_view text);
    void add_text(std::string_view text);

    /// The note, or else the last line that is not empty.
    [[nodiscard]] std::string last_word() const;
};

}  // namespace jobstrand::schema
