#include "tools/surface/completion.hpp"

#include "tools/text/terminal_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

namespace jobstrand::cli {

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

}  // namespace jobstrand::cli
