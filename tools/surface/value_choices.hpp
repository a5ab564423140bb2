#pragma once

#include <string_view>
#include <vector>

namespace jobstrand::cli {

/// Where the values come from that complete what is being typed.
enum class ValueSource {
    free_text,  ///< Nobody can guess it.
    words,      ///< ValueChoices::words.
    files,
    nouns,
    jobs,  ///< Ids of jobs in any place.
    dead_letters,
    timers,
    handler_types,
    series,
    groups,
    causes,  ///< Of dead letters, as `dead groups` names them.
    calendars,
    instances,
    nodes,
};

struct ValueChoices {
    ValueSource source = ValueSource::free_text;
    std::vector<std::string_view> words = {};
};

/// Of an option of a noun, by what its value is called: `choices_of("timer", "--state", "STATE")`.
/// `option` is its longest name, or the name of an argument. Null: nobody has said it; values of a
/// new name belong into the table in value_choices.cpp.
[[nodiscard]] const ValueChoices*
choices_of(std::string_view noun, std::string_view option, std::string_view value);

}  // namespace jobstrand::cli
