#include "tools/settings/table_readers.hpp"

#include <array>
#include <stdexcept>

namespace jobstrand::cli {

namespace {

constexpr std::array<std::string_view, 4> kDefinitionKeys{
    "priority",
    "retryCycle",
    "category",
    "exclusive"};

}  // namespace

Definitions DefinitionTables::read(const toml::node& node) {
    Definitions definitions;
    const toml::table* tables = node.as_table();
    if (tables == nullptr) {
        keys_.add_problem(node, "definitions must be tables: [definitions.\"NAME\"]");
        return definitions;
    }
    for (const auto& [name, definition] : *tables) {
        keys_.enter(name.str());
        if (const toml::table* table = definition.as_table()) {
            read_definition(std::string(name.str()), *table, definitions);
        } else {
            keys_.add_problem(definition, "must be a table: [definitions.\"NAME\"]");
        }
    }
    return definitions;
}

void DefinitionTables::read_definition(
    const std::string& name,
    const toml::table& table,
    Definitions& definitions
) {
    const std::size_t problems_before = problems().size();
    schema::JobDefinition definition;
    try {
        definition.name = schema::job_definition_named(name);
    } catch (const std::invalid_argument& mistake) {
        keys_.add_problem(table, mistake.what());
    }
    for (const auto& [key, node] : table) {
        read_key(std::string(key.str()), node, definition);
    }
    if (const std::string mistake = mistake_in(definition); !mistake.empty()) {
        keys_.add_problem(table, mistake);
    }
    if (problems().size() == problems_before) {
        definitions.push_back(std::move(definition));
    }
}

void DefinitionTables::read_key(
    const std::string& key,
    const toml::node& node,
    schema::JobDefinition& definition
) {
    const auto* const text = node.as_string();
    const auto* const number = node.as_integer();
    const auto* const flag = node.as_boolean();
    if (key == "priority" && (text != nullptr || number != nullptr)) {
        definition.priority = text != nullptr ? text->get() : std::to_string(number->get());
    } else if (key == "retryCycle" && text != nullptr) {
        definition.retry_cycle = text->get();
    } else if (key == "category" && text != nullptr) {
        definition.category = text->get();
    } else if (key == "exclusive" && flag != nullptr) {
        definition.exclusive = flag->get();
    } else if (key == "priority") {
        keys_.add_problem(node, "priority must be a whole number, or an expression in quotes");
    } else if (key == "retryCycle") {
        keys_.add_problem(node, "retryCycle must be a text such as \"R5/PT5M\"");
    } else if (key == "category") {
        keys_.add_problem(node, "category must be a text, which may hold expressions");
    } else if (key == "exclusive") {
        keys_.add_problem(node, "exclusive must be true or false");
    } else {
        keys_.refuse(key, node, kDefinitionKeys);
    }
}

}  // namespace jobstrand::cli
