#include "tools/parameters/typed_ids.hpp"

#include "tools/output/short_ids.hpp"
#include "tools/parameters/option_values.hpp"
#include "tools/process/exit_code.hpp"
#include "tools/process/input.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

namespace jobstrand::cli {

namespace {

/// Longer than any id, so that a file which holds no ids is told soon.
constexpr std::size_t kLineBytes = 4096;

constexpr const char* kFromInput = "-";

void require_room(bool is_room, const std::string& why) {
    if (!is_room) {
        throw CliError(ExitCode::wrong_usage, "stdin: " + why);
    }
}

/// nullopt: the end. Without the line break, also that of Windows.
[[nodiscard]] std::optional<std::string> next_line(Input& input) {
    std::optional<std::string> line;
    while (const auto c = input.next()) {
        line = line.value_or("");
        if (*c == '\n') {
            break;
        }
        require_room(line->size() < kLineBytes, "a line is too long for an id");
        *line += *c;
    }
    if (line && line->ends_with('\r')) {
        line->pop_back();
    }
    return line;
}

void append_lines(Session& session, std::vector<std::string>& ids) {
    Input input = session.input("ids", kFromInput);
    std::size_t count = 0;
    while (auto line = next_line(input)) {
        if (!line->empty()) {
            require_room(++count <= kIdsFromInput, fmt::format("more than {} ids", kIdsFromInput));
            ids.push_back(std::move(*line));
        }
    }
}

/// At most three.
[[nodiscard]] std::vector<std::string>
ids_beginning_with(Session& session, const std::string& beginning) {
    std::vector<std::string> ids;
    if (session.search().find(beginning)) {
        ids.push_back(beginning);
    }
    // Ids are listed in their order, so those that begin so come first behind it.
    const auto page = session.search().list(
        {.places = {schema::kJobPlaces.begin(), schema::kJobPlaces.end()},
         .after = beginning,
         .limit = 2}
    );
    for (const schema::PlacedJob& placed : page.items) {
        if (placed.job.id.starts_with(beginning)) {
            ids.push_back(placed.job.id);
        }
    }
    return ids;
}

}  // namespace

std::vector<std::string> typed_ids(Session& session, const std::vector<std::string>& typed) {
    if (std::ranges::count(typed, kFromInput) > 1) {
        throw CliError(ExitCode::wrong_usage, "`-` for stdin can be given once");
    }
    std::vector<std::string> ids;
    for (const std::string& id : typed) {
        if (id == kFromInput) {
            append_lines(session, ids);
        } else {
            ids.push_back(not_empty("an id", id));
        }
    }
    return ids;
}

std::string job_id(Session& session, const std::string& typed) {
    const std::string beginning(beginning_of(typed));
    if (beginning.empty()) {
        return typed;
    }
    const std::vector<std::string> found = ids_beginning_with(session, beginning);
    if (found.empty()) {
        throw CliError(
            ExitCode::not_found,
            fmt::format("there is no job whose id begins with {}", quoted_if_needed(beginning))
        );
    }
    if (found.size() > 1) {
        throw CliError(
            ExitCode::wrong_usage,
            fmt::format(
                "several jobs have ids that begin with {}, such as {} and {}: say more of it",
                quoted_if_needed(beginning),
                quoted_if_needed(found[0]),
                quoted_if_needed(found[1])
            )
        );
    }
    return found.front();
}

std::vector<std::string> job_ids(Session& session, const std::vector<std::string>& typed) {
    std::vector<std::string> ids = typed_ids(session, typed);
    for (std::string& id : ids) {
        id = job_id(session, id);
    }
    return ids;
}

}  // namespace jobstrand::cli
