#include "test/fuzz/grammar.hpp"

#include <algorithm>
#include <stdexcept>
#include <utility>

namespace jobstrand::test {

namespace {

constexpr int kDeep = 8;
constexpr std::string_view kIs = "::=";

std::string_view trimmed(std::string_view text) {
    const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
    text.remove_prefix(first);
    return text.substr(0, text.find_last_not_of(' ') + 1);
}

/// The pieces between separators.
std::vector<std::string_view> split(std::string_view text, std::string_view separator) {
    std::vector<std::string_view> pieces;
    while (true) {
        const std::size_t end = text.find(separator);
        pieces.push_back(text.substr(0, end));
        if (end == std::string_view::npos) {
            return pieces;
        }
        text.remove_prefix(end + separator.size());
    }
}

/// Splits an alternative into text and names, and tells each of them in turn.
template <typename OnText, typename OnName>
void for_each_part(std::string_view alternative, const OnText& on_text, const OnName& on_name) {
    while (!alternative.empty()) {
        const std::size_t open = std::min(alternative.find('<'), alternative.size());
        const std::size_t close = alternative.find('>', open);
        on_text(alternative.substr(0, open));
        if (close == std::string_view::npos) {
            return;
        }
        on_name(alternative.substr(open + 1, close - open - 1));
        alternative.remove_prefix(close + 1);
    }
}

void make_mistake(std::string& text, Dice& dice) {
    const auto place = static_cast<std::size_t>(dice.between(0, std::ssize(text)));
    const auto length = static_cast<std::size_t>(dice.number(1, 6));
    const std::string piece = text.substr(place, length);
    switch (dice.number(1, 7)) {
        case 1:
            text.erase(place, length);
            break;
        case 2:
            text.insert(place, piece);
            break;
        case 3:
            text.insert(static_cast<std::size_t>(dice.between(0, std::ssize(text))), piece);
            break;
        case 4:
            if (place + 1 < text.size()) {
                std::swap(text[place], text[place + 1]);
            }
            break;
        case 5:
            text.insert(place, 1, static_cast<char>(dice.number(-128, 127)));
            break;
        case 6:
            if (place < text.size()) {
                text[place] = static_cast<char>(dice.number(32, 126));
            }
            break;
        default:
            text.resize(place);  // The copy broke off.
    }
}

}  // namespace

Grammar::Grammar(std::string_view rules)
    : rules_{{"nothing", {""}}, {"blank", {" "}}, {"tab", {"\t"}}, {"cr", {"\r"}}, {"nl", {"\n"}}} {
    for (std::string_view line : split(rules, "\n")) {
        line = trimmed(line);
        if (line.empty()) {
            continue;
        }
        Alternatives& rule = rule_of(line);
        for (const std::string_view alternative : split(line, " | ")) {
            rule.emplace_back(trimmed(alternative));
        }
    }
    check_names();
}

std::string Grammar::draw(std::string_view name, Dice& dice) const {
    std::string text;
    append(text, name, dice, 0);
    return text;
}

/// The rule that a line begins, or goes on with; what is left of the line are its alternatives.
Grammar::Alternatives& Grammar::rule_of(std::string_view& line) {
    const std::size_t is = line.find(kIs);
    if (is != std::string_view::npos) {
        last_rule_ = &rules_[std::string(trimmed(line.substr(0, is)))];
        line = trimmed(line.substr(is + kIs.size()));
    } else if (line.starts_with('|') && last_rule_ != nullptr) {
        line = trimmed(line.substr(1));
    } else {
        throw std::invalid_argument("no part of a rule: " + std::string(line));
    }
    return *last_rule_;
}

void Grammar::check_names() const {
    for (const auto& [rule, alternatives] : rules_) {
        for (const std::string& alternative : alternatives) {
            for_each_part(
                alternative,
                [](std::string_view) {},
                [this](std::string_view name) {
                    if (!rules_.contains(name)) {
                        throw std::invalid_argument("no rule for <" + std::string(name) + ">");
                    }
                }
            );
        }
    }
}

void Grammar::append(std::string& text, std::string_view name, Dice& dice, int depth) const {
    const auto rule = rules_.find(name);
    if (rule == rules_.end()) {
        throw std::out_of_range("no rule for <" + std::string(name) + ">");
    }
    const Alternatives& alternatives = rule->second;
    for_each_part(
        depth < kDeep ? dice.any_of(alternatives) : alternatives.front(),
        [&](std::string_view part) { text += part; },
        [&](std::string_view part) { append(text, part, dice, depth + 1); }
    );
}

std::string damaged(std::string text, Dice& dice) {
    for (int i = dice.number(1, 3); i > 0; --i) {
        make_mistake(text, dice);
    }
    return text;
}

std::string nearly_valid(const Grammar& grammar, std::string_view name, Dice& dice) {
    std::string text = grammar.draw(name, dice);
    return dice.one_in(3) ? damaged(std::move(text), dice) : text;
}

}  // namespace jobstrand::test
