#include "tools/surface/value_choices.hpp"

#include <algorithm>

namespace jobstrand::cli {

namespace {

/// An empty text is any.
struct Entry {
    std::string_view noun;
    std::string_view option;
    std::string_view value;
    ValueChoices choices;
};

[[nodiscard]] ValueChoices misfire_rules() {
    return {
        ValueSource::words,
        {"smart",
         "ignore",
         "do-nothing",
         "fire-once-now",
         "fire-now",
         "now-with-existing",
         "now-with-remaining",
         "next-with-existing",
         "next-with-remaining",
         "none"}};
}

/// Those that a job may be without.
[[nodiscard]] ValueChoices fields_of_jobs() {
    return {
        ValueSource::words,
        {"instance",
         "definition",
         "element",
         "category",
         "tenant",
         "correlation-id",
         "error",
         "created",
         "due",
         "failed",
         "unique-key",
         "root-instance",
         "execution",
         "element-name",
         "series",
         "lock-owner"}};
}

/// The first that fits counts.
const std::vector<Entry>& entries() {
    using enum ValueSource;
    static const std::vector<Entry> all{
        {"", "", "FORMAT", {words, {"table", "json", "jsonl", "csv", "name"}}},
        {"", "", "WHEN", {words, {"auto", "always", "never"}}},
        {"",
         "",
         "PLACE",
         {words, {"executable", "timer", "suspended", "dead", "external", "all", "done"}}},
        {"",
         "--sort",
         "",
         {words, {"id", "due", "created", "priority", "retries", "type", "failed"}}},
        {"", "--without", "", fields_of_jobs()},
        {"token", "", "ROLE", {words, {"read", "worker", "admin"}}},
        {"token", "--topics", "", {.source = handler_types}},
        {"token", "--tenants", "", {}},
        {"token", "--engines", "", {}},
        {"lock", "", "COMMAND", {}},
        {"timer", "", "STATE", {words, {"waiting", "paused", "all"}}},
        {"series", "", "STATE", {words, {"waiting", "running", "paused", "ended"}}},
        {"", "--on-duplicate", "", {words, {"reject", "keep", "replace"}}},
        {"", "--unique-key", "", {}},
        {"", "", "RULE", {words, {"quartz", "run-once"}}},
        {"", "--misfire", "", misfire_rules()},
        {"", "", "FILE", {.source = files}},
        {"", "", "FILE.jsonl", {.source = files}},
        {"", "", "FILE.toml", {.source = files}},
        {"", "", "FOLDER", {.source = files}},
        {"", "", "NOUN", {.source = nouns}},
        {"", "", "TYPE", {.source = handler_types}},
        {"", "", "KEY", {.source = series}},
        {"", "--group", "NAME", {.source = groups}},
        {"", "--calendar", "NAME", {.source = calendars}},
        {"group", "names", "", {.source = groups}},
        {"calendar", "name", "", {.source = calendars}},
        {"calendar", "names", "", {.source = calendars}},
        {"instance", "ids", "", {.source = instances}},
        {"node", "nodes", "", {.source = nodes}},
        {"", "--instance", "", {.source = instances}},
        {"dead", "id", "", {.source = dead_letters}},
        {"dead", "ids", "", {.source = dead_letters}},
        {"timer", "id", "", {.source = timers}},
        {"timer", "ids", "", {.source = timers}},
        {"job", "id", "", {.source = jobs}},
        {"job", "ids", "", {.source = jobs}},
        {"", "", "ID", {}},
        {"dead", "--group", "", {.source = causes}},
        {"", "", "NAME", {}},
        {"", "", "KIND:VALUE", {}},
        {"", "", "N/PERIOD", {}},
        {"", "", "NUMBER", {}},
        {"", "", "DEFINITION[/ELEMENT[/TYPE]]", {}},
        {"", "--exclusive", "", {words, {"true", "false", "none"}}},
        {"", "", "TEXT", {}},
        {"", "", "EVENTS", {}},
        {"", "", "WORD", {}},
        {"", "", "EXPR", {}},
        {"", "", "DATE", {}},
        {"", "", "TIME", {}},
        {"", "", "DURATION", {}},
        {"", "", "CYCLE", {}},
        {"", "", "CONTEXT", {}},
        {"", "", "ZONE", {}},
        {"", "", "JSON", {}},
        {"", "", "URL", {}},
        {"", "", "ADDRESS:PORT", {}},
        {"", "", "N", {}},
    };
    return all;
}

[[nodiscard]] bool fits(std::string_view wanted, std::string_view given) {
    return wanted.empty() || wanted == given;
}

}  // namespace

const ValueChoices*
choices_of(std::string_view noun, std::string_view option, std::string_view value) {
    const auto found = std::ranges::find_if(entries(), [&](const Entry& entry) {
        return fits(entry.noun, noun) && fits(entry.option, option) && fits(entry.value, value);
    });
    return found == entries().end() ? nullptr : &found->choices;
}

}  // namespace jobstrand::cli
