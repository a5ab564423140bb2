#pragma once

#include "tools/surface/description.hpp"

#include <string>
#include <string_view>

namespace jobstrand::cli {

/// What stands in the margins of a manual page.
struct ManualEdition {
    std::string version;  ///< `jobstrand 0.1.0`
    std::string date;     ///< ISO 8601
};

/// The page of the whole program, jobstrand.1: its nouns, global options and remarks; roff with the
/// macros of man(7).
[[nodiscard]] std::string
program_page(const CommandDescription& program, const ManualEdition& edition);

/// The page of a noun with its verbs, jobstrand-NOUN.1.
[[nodiscard]] std::string noun_page(
    const CommandDescription& program,
    const CommandDescription& noun,
    const ManualEdition& edition
);

/// `jobstrand-job.1`; of the program itself, which is named by an empty text, `jobstrand.1`.
[[nodiscard]] std::string page_name(std::string_view noun);

}  // namespace jobstrand::cli
