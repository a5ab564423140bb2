#include "tools/surface/completion.hpp"

#include "deadletter/failure_cause.hpp"
#include "tools/parameters/field_options.hpp"
#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

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
        {"", "--without", "", {words, fields_without()}},
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
        {"dead", "--group", "", {.source = causes}},
        {"", "--exclusive", "", {words, {"true", "false", "none"}}},
    };
    return all;
}

/// What values are called that nobody can guess, where no entry says more.
constexpr std::array<std::string_view, 20> kFreeValues{
    "ID",           "NAME",   "KIND:VALUE", "N/PERIOD", "NUMBER", "DEFINITION[/ELEMENT[/TYPE]]",
    "TEXT",         "EVENTS", "WORD",       "EXPR",     "DATE",   "TIME",
    "DURATION",     "CYCLE",  "CONTEXT",    "ZONE",     "JSON",   "URL",
    "ADDRESS:PORT", "N"};

[[nodiscard]] bool fits(std::string_view wanted, std::string_view given) {
    return wanted.empty() || wanted == given;
}

}  // namespace

const ValueChoices*
choices_of(std::string_view noun, std::string_view option, std::string_view value) {
    const auto found = std::ranges::find_if(entries(), [&](const Entry& entry) {
        return fits(entry.noun, noun) && fits(entry.option, option) && fits(entry.value, value);
    });
    if (found != entries().end()) {
        return &found->choices;
    }
    static const ValueChoices free_text;
    return std::ranges::count(kFreeValues, value) > 0 ? &free_text : nullptr;
}

namespace {

/// What was typed, read as far as the word that is being completed.
class TypedLine {
public:
    explicit TypedLine(const CommandDescription& program) : path_{&program} {}

    void read(const std::string& word) {
        if (waiting_ != nullptr) {
            take_value(*std::exchange(waiting_, nullptr), word);
        } else if (word.starts_with('-')) {
            read_option(word);
        } else if (const auto* command = command_named(*path_.back(), word)) {
            path_.push_back(command);
        } else {
            ++arguments_;
        }
    }

    /// The program, and the noun and the verb as far as they were typed.
    [[nodiscard]] const std::vector<const CommandDescription*>& path() const { return path_; }
    [[nodiscard]] const CommandDescription& command() const { return *path_.back(); }
    [[nodiscard]] const TypedDatabase& database() const { return database_; }

    /// The option whose value comes next; null: none.
    [[nodiscard]] const OptionDescription* waiting() const { return waiting_; }

    [[nodiscard]] std::string_view noun() const {
        return path_.size() > 1 ? std::string_view(path_[1]->name) : std::string_view();
    }

    [[nodiscard]] const OptionDescription* option_named(std::string_view name) const {
        for (const CommandDescription* command : path_) {
            for (const OptionDescription& option : command->options) {
                if (!option.is_argument && std::ranges::count(option.names, name) > 0) {
                    return &option;
                }
            }
        }
        return nullptr;
    }

    /// The argument that a word without dashes would be; null: there is no further one.
    [[nodiscard]] const OptionDescription* next_argument() const {
        std::size_t left = arguments_;
        for (const OptionDescription& option : command().options) {
            if (option.is_argument && (left == 0 || option.is_repeated)) {
                return &option;
            }
            left -= option.is_argument ? 1 : 0;
        }
        return nullptr;
    }

    [[nodiscard]] bool was_given(const OptionDescription& option) const {
        return std::ranges::count(given_, &option) > 0;
    }

private:
    void read_option(const std::string& word) {
        const std::size_t equals = word.find('=');
        const OptionDescription* const option = option_named(word.substr(0, equals));
        if (option == nullptr) {
            return;
        }
        given_.push_back(option);
        if (equals != std::string::npos) {
            take_value(*option, word.substr(equals + 1));
        } else if (!option->value.empty()) {
            waiting_ = option;
        }
    }

    void take_value(const OptionDescription& option, const std::string& value) {
        if (option.names.back() == "--db") {
            database_.url = value;
        } else if (option.names.back() == "--config") {
            database_.config_file = value;
        } else if (option.names.back() == "--engine") {
            database_.engine = value;
        } else if (option.names.back() == "--server") {
            database_.server = value;
        }
    }

    std::vector<const CommandDescription*> path_;
    std::vector<const OptionDescription*> given_;
    const OptionDescription* waiting_ = nullptr;
    std::size_t arguments_ = 0;
    TypedDatabase database_;
};

/// A meaning that fits into a list.
[[nodiscard]] std::string short_meaning(const std::string& text) {
    constexpr std::size_t kWidth = 60;
    return cut_to_width(printable(text), kWidth);
}

[[nodiscard]] Completion commands_below(const CommandDescription& command) {
    Completion completion;
    for (const CommandDescription& below : command.commands) {
        completion.candidates.push_back({below.name, below.summary});
    }
    return completion;
}

[[nodiscard]] Completion options_of(const TypedLine& line) {
    Completion completion;
    for (auto at = line.path().rbegin(); at != line.path().rend(); ++at) {
        for (const OptionDescription& option : (*at)->options) {
            if (!option.is_argument && (option.is_repeated || !line.was_given(option))) {
                completion.candidates.push_back({option.names.back(), option.meaning});
            }
        }
    }
    return completion;
}

[[nodiscard]] Completion values_for(
    const TypedLine& line,
    const OptionDescription& option,
    std::string_view typed,
    const ValuesOf& values_of
) {
    const ValueChoices* const choices = choices_of(line.noun(), option.names.back(), option.value);
    if (choices == nullptr || choices->source == ValueSource::free_text) {
        return {};
    }
    if (choices->source == ValueSource::files) {
        return {.is_file = true};
    }
    if (choices->source == ValueSource::nouns) {
        return commands_below(*line.path().front());
    }
    if (choices->source != ValueSource::words) {
        return {.candidates = values_of(choices->source, line.database(), typed)};
    }
    Completion completion;
    for (const std::string_view word : choices->words) {
        completion.candidates.push_back({std::string(word)});
    }
    return completion;
}

/// `--place=de`: the candidates are whole words again.
[[nodiscard]] Completion
value_behind_equals(const TypedLine& line, const std::string& word, const ValuesOf& values_of) {
    const std::size_t value = word.find('=') + 1;
    const OptionDescription* const option = line.option_named(word.substr(0, value - 1));
    if (option == nullptr || option->value.empty()) {
        return {};
    }
    Completion completion = values_for(line, *option, word.substr(value), values_of);
    for (Candidate& candidate : completion.candidates) {
        candidate.text.insert(0, word, 0, value);
    }
    return completion;
}

[[nodiscard]] Completion
all_for(const TypedLine& line, const std::string& word, const ValuesOf& values_of) {
    if (line.waiting() != nullptr) {
        return values_for(line, *line.waiting(), word, values_of);
    }
    if (word.starts_with('-')) {
        return word.find('=') == std::string::npos ? options_of(line)
                                                   : value_behind_equals(line, word, values_of);
    }
    if (!line.command().commands.empty()) {
        return commands_below(line.command());
    }
    const OptionDescription* const argument = line.next_argument();
    return argument == nullptr ? Completion{} : values_for(line, *argument, word, values_of);
}

}  // namespace

Completion complete(
    const CommandDescription& program,
    const std::vector<std::string>& words,
    const ValuesOf& values_of
) {
    TypedLine line(program);
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
        line.read(words[i]);
    }
    const std::string word = words.empty() ? "" : words.back();
    Completion completion = all_for(line, word, values_of);
    std::erase_if(completion.candidates, [&word](const Candidate& candidate) {
        return !candidate.text.starts_with(word) || printable(candidate.text) != candidate.text;
    });
    return completion;
}

std::string lines_of(const Completion& completion) {
    if (completion.is_file) {
        return ":files\n";
    }
    std::string lines;
    for (const Candidate& candidate : completion.candidates) {
        lines += fmt::format("{}\t{}\n", candidate.text, short_meaning(candidate.meaning));
    }
    return lines;
}

namespace {

using schema::JobPlace;
using Candidates = std::vector<Candidate>;

/// Nobody reads more in a shell.
constexpr std::size_t kShown = 200;

/// Of each place: whose handler types are looked at.
constexpr std::size_t kLookedAt = 500;

/// Dead letters whose causes are offered: the latest ones.
constexpr std::size_t kDeadLookedAt = 2'000;

[[nodiscard]] std::string meaning_of(const schema::PlacedJob& placed) {
    const schema::Job& job = placed.job;
    return job.exception_message.empty()
               ? fmt::format("{}, {}", job.handler_type, name_of(placed.place))
               : fmt::format("{}: {}", job.handler_type, job.exception_message);
}

/// One for each item.
template <typename Items, typename CandidateOf>
[[nodiscard]] Candidates candidates_of(const Items& items, const CandidateOf& candidate_of) {
    Candidates candidates;
    for (const auto& item : items) {
        candidates.push_back(candidate_of(item));
    }
    return candidates;
}

// Ids are listed in their order, so those that begin with what was typed come first behind it.
[[nodiscard]] Candidates
ids(Session& session, const std::vector<JobPlace>& places, std::string_view typed) {
    const auto page =
        session.search().list({.places = places, .after = std::string(typed), .limit = kShown});
    return candidates_of(page.items, [](const schema::PlacedJob& placed) {
        return Candidate{placed.job.id, meaning_of(placed)};
    });
}

[[nodiscard]] Candidates handler_types(Session& session) {
    const std::vector<std::string> own = session.engine().handlers().types();
    std::set<std::string> types(own.begin(), own.end());
    for (const JobPlace place : schema::kJobPlaces) {
        const auto page = session.search().list({.places = {place}, .limit = kLookedAt});
        for (const schema::PlacedJob& placed : page.items) {
            types.insert(placed.job.handler_type);
        }
    }
    return candidates_of(types, [](const std::string& type) { return Candidate{type}; });
}

[[nodiscard]] Candidate candidate_of_cause(const deadletter::CauseGroup& group) {
    const auto& [type, error_class, message] = group.cause;
    return {
        group.id,
        fmt::format(
            "{} of {}: {}{}{}",
            group.jobs,
            type,
            error_class,
            error_class.empty() || message.empty() ? "" : ": ",
            message
        )};
}

}  // namespace

std::vector<Candidate> known_values(Session& session, ValueSource source, std::string_view typed) {
    switch (source) {
        case ValueSource::jobs:
            return ids(session, {schema::kJobPlaces.begin(), schema::kJobPlaces.end()}, typed);
        case ValueSource::dead_letters:
            return ids(session, {JobPlace::dead_letter}, typed);
        case ValueSource::timers:
            return ids(session, {JobPlace::timer}, typed);
        case ValueSource::handler_types:
            return handler_types(session);
        case ValueSource::series:
            return candidates_of(
                session.series().list({}, typed, kShown).items,
                [](const auto& one) {
                    return Candidate{one.series.key, one.series.repeat};
                }
            );
        case ValueSource::groups:
            return candidates_of(session.series().groups(), [](const auto& group) {
                return Candidate{group.first, fmt::format("{} series", group.second.series)};
            });
        case ValueSource::causes:
            return candidates_of(
                deadletter::latest_causes(session.store(), kDeadLookedAt).groups, candidate_of_cause
            );
        case ValueSource::calendars:
            return candidates_of(session.series_store().calendars(), [](const auto& calendar) {
                return Candidate{calendar.name, calendar.text};
            });
        case ValueSource::nodes:
            return candidates_of(session.nodes().nodes(), [](const persistence::Node& node) {
                return Candidate{node.identity.node, std::string(name_of(node.state))};
            });
        case ValueSource::instances:
            return candidates_of(
                session.search().scopes({.after = std::string(typed), .limit = kShown}).items,
                [](const auto& one) {
                    return Candidate{one.id, one.suspended_since ? "suspended" : ""};
                }
            );
        case ValueSource::free_text:
        case ValueSource::words:
        case ValueSource::files:
        case ValueSource::nouns:
            break;
    }
    return {};
}

}  // namespace jobstrand::cli
