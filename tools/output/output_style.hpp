#pragma once

#include "schema/time.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// What a person sees at a glance.
enum class Tone {
    plain,
    heading,
    quiet,
    good,
    warning,
    bad,
};

/// How tables look. The default is for files and pipes: as wide as need be, and without colour.
struct OutputStyle {
    std::optional<std::size_t> columns = {};  ///< Of the terminal; nullopt: there is none.
    bool is_coloured = false;
    std::optional<schema::TimePoint> now = {};  ///< On a terminal: times are told from here.
};

/// The text in the colour of a tone (ECMA-48, SGR). Without colour, and for what is empty, the
/// text.
[[nodiscard]] std::string in_tone(Tone tone, std::string_view text, const OutputStyle& style);

/// What each line about a mistake begins with: the name of the program.
[[nodiscard]] std::string message_start(bool is_coloured);

/// The tone of a state, place or answer: `dead` is bad, `paused` a warning, `running` good.
[[nodiscard]] Tone tone_of_word(std::string_view word);

/// `1,234,567`, for people; anything but a whole number stays as it is.
[[nodiscard]] std::string grouped(std::string_view number);

/// A text of help for a terminal of so many columns; below 80 it is laid out for 80, above 120 for
/// 120, because longer lines are hard to read. What does not fit goes on below its description,
/// and sentences are filled up to the edge. Examples stay as they are: they are there to be copied.
[[nodiscard]] std::string wrapped_help(std::string_view help, std::size_t columns);

}  // namespace jobstrand::cli
