#include "tools/surface/verb.hpp"

#include <memory>
#include <optional>

namespace jobstrand::cli {

namespace {

/// What was typed of one parameter.
struct Typed {
    std::optional<std::string> text;
    std::vector<std::string> texts;
    bool flag = false;

    [[nodiscard]] std::vector<std::string> all() const {
        if (flag) {
            return {std::string()};
        }
        return text ? std::vector{*text} : texts;
    }
};

CommandOption add_parameter(const Command& verb, const Parameter& parameter, Typed& typed) {
    const auto add = [&] {
        switch (parameter.kind) {
            case ParameterKind::flag:
                return verb.add_flag(parameter.names, typed.flag, parameter.meaning);
            case ParameterKind::texts:
                return verb.add_option(parameter.names, typed.texts, parameter.meaning);
            case ParameterKind::repeated:
                return verb.add_repeated_option(parameter.names, typed.texts, parameter.meaning);
            default:
                return verb.add_option(parameter.names, typed.text, parameter.meaning);
        }
    };
    const CommandOption option = add();
    if (!parameter.rules.unit.empty()) {
        option.type_name(parameter.rules.unit);
    }
    if (!parameter.rules.heading.empty()) {
        option.group(parameter.rules.heading);
    }
    if (parameter.rules.is_required) {
        option.required();
    }
    return option;
}

void add_operation(const Command& noun, Action& action, const Operation& operation) {
    const OperationText& text = operation.text;
    const auto typed = std::make_shared<std::vector<Typed>>(operation.parameters.size());
    const auto choose = [&action, operation, typed] {
        action.run = [operation, typed](Session& session) {
            GivenTexts given;
            for (std::size_t i = 0; i < typed->size(); ++i) {
                given.texts.push_back((*typed)[i].all());
                given.labels.push_back(operation.parameters[i].option_name());
            }
            return operation.run(session, given);
        };
    };
    const std::string verb = text.words.substr(text.words.find(' ') + 1);
    const Command app = noun.add_verb(verb, text.summary, text.examples, choose);
    std::optional<CommandOption> previous;
    for (std::size_t i = 0; i < operation.parameters.size(); ++i) {
        const Parameter& parameter = operation.parameters[i];
        const CommandOption option = add_parameter(app, parameter, (*typed)[i]);
        if (parameter.rules.excludes_previous) {
            option.excludes(previous.value());
        }
        previous = option;
    }
    if (!text.is_local) {
        action.over_network.emplace(text.words, text.role);
    }
    if (text.honours_scope) {
        action.honouring_scope.insert(text.words);
    }
    if (text.role == service::Role::admin) {
        action.audited.insert(text.words);
    }
}

}  // namespace

void add_operations(const Command& program, Action& action, const OperationNoun& noun) {
    const Command declared =
        noun.name.empty() ? program : program.add_noun(noun.name, noun.summary, noun.examples);
    for (const Operation& operation : noun.operations) {
        add_operation(declared, action, operation);
    }
}

}  // namespace jobstrand::cli
