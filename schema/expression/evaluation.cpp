#include "schema/expression/evaluation.hpp"

#include "schema/expression/operators.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <stdexcept>
#include <utility>

namespace jobstrand::schema {

namespace {

/// Parentheses, signs and choices inside of each other.
constexpr int kMostDepth = 64;

/// Names of variables in one expression: each is looked for in the payload.
constexpr int kMostPaths = 32;

constexpr std::array<std::string_view, 2> kEqual{"==", "!="};
constexpr std::array<std::string_view, 4> kOrder{"<=", ">=", "<", ">"};
constexpr std::array<std::string_view, 2> kSum{"+", "-"};
constexpr std::array<std::string_view, 3> kProduct{"*", "/", "%"};

/// Those that bind least come first.
constexpr std::array<std::span<const std::string_view>, 4> kLevels{kEqual, kOrder, kSum, kProduct};
constexpr std::size_t kFirstThatCalculates = 2;

std::string joined(const std::vector<std::string>& path) {
    std::string text;
    for (const std::string& step : path) {
        text += (text.empty() ? "" : ".") + step;
    }
    return text;
}

}  // namespace

/// How deep the text is nested while it lives.
class Evaluation::Nesting {
public:
    explicit Nesting(Evaluation& of) : of_(of) {
        if (++of_.depth_ > kMostDepth) {
            throw ExpressionMistake{"it is nested too deeply", of_.tokens_.current().position};
        }
    }
    ~Nesting() { --of_.depth_; }

    Nesting(const Nesting&) = delete;
    Nesting& operator=(const Nesting&) = delete;

private:
    Evaluation& of_;
};

template <typename Operation>
auto Evaluation::at(std::size_t position, const Operation& operation) {
    try {
        return operation();
    } catch (const std::invalid_argument& mistake) {
        throw ExpressionMistake{mistake.what(), position};
    }
}

ExpressionValue Evaluation::run() {
    ExpressionValue value = choice();
    const Token& last = tokens_.current();
    if (last.kind != TokenKind::sign || last.text != "}") {
        throw ExpressionMistake{"expected an operator or }", last.position};
    }
    end_ = last.position + 1;
    return value;
}

ExpressionValue Evaluation::unwanted(ExpressionValue (Evaluation::*part)()) {
    ++unwanted_;
    (this->*part)();
    --unwanted_;
    return {};
}

ExpressionValue Evaluation::choice() {
    const Nesting nesting(*this);
    ExpressionValue condition = either();
    const std::size_t position = tokens_.current().position;
    if (!tokens_.take("?")) {
        return condition;
    }
    const bool is_first = evaluates() && at(position, [&] { return truth_of(condition); });
    ExpressionValue first = is_first ? choice() : unwanted(&Evaluation::choice);
    tokens_.expect(":");
    ExpressionValue second = is_first ? unwanted(&Evaluation::choice) : choice();
    return is_first ? std::move(first) : std::move(second);
}

ExpressionValue Evaluation::either() {
    ExpressionValue value = both();
    for (std::size_t position = tokens_.current().position; tokens_.take("||");
         position = tokens_.current().position) {
        const bool is_decided = evaluates() && at(position, [&] { return truth_of(value); });
        ExpressionValue right = is_decided ? unwanted(&Evaluation::both) : both();
        if (evaluates()) {
            value = is_decided || at(position, [&] { return truth_of(right); });
        }
    }
    return value;
}

ExpressionValue Evaluation::both() {
    const auto next = [this] { return binary(0); };
    ExpressionValue value = next();
    for (std::size_t position = tokens_.current().position; tokens_.take("&&");
         position = tokens_.current().position) {
        const bool is_decided = evaluates() && !at(position, [&] { return truth_of(value); });
        unwanted_ += is_decided ? 1 : 0;
        ExpressionValue right = next();
        unwanted_ -= is_decided ? 1 : 0;
        if (evaluates()) {
            value = !is_decided && at(position, [&] { return truth_of(right); });
        }
    }
    return value;
}

ExpressionValue Evaluation::binary(std::size_t level) {
    if (level == kLevels.size()) {
        return unary();
    }
    ExpressionValue value = binary(level + 1);
    while (tokens_.current().kind == TokenKind::sign &&
           std::ranges::find(kLevels[level], tokens_.current().text) != kLevels[level].end()) {
        const Token sign = tokens_.current();
        tokens_.next();
        const ExpressionValue right = binary(level + 1);
        if (evaluates()) {
            value = at(sign.position, [&]() -> ExpressionValue {
                if (level >= kFirstThatCalculates) {
                    return calculate(value, sign.text, right);
                }
                return compare(value, sign.text, right);
            });
        }
    }
    return value;
}

ExpressionValue Evaluation::unary() {
    const Nesting nesting(*this);
    const std::size_t position = tokens_.current().position;
    const auto apply = [&](const auto& operation) -> ExpressionValue {
        const ExpressionValue operand = unary();
        return evaluates() ? at(position, [&]() -> ExpressionValue { return operation(operand); })
                           : ExpressionValue();
    };
    if (tokens_.take("!")) {
        return apply([](const ExpressionValue& value) { return !truth_of(value); });
    }
    if (tokens_.take("-")) {
        return apply(negative);
    }
    if (tokens_.take("empty")) {
        return apply([](const ExpressionValue& value) { return is_empty(value); });
    }
    return primary();
}

ExpressionValue Evaluation::primary() {
    const Token token = tokens_.current();
    if (token.kind == TokenKind::literal) {
        tokens_.next();
        return token.value;
    }
    if (tokens_.take("(")) {
        ExpressionValue value = choice();
        tokens_.expect(")");
        return value;
    }
    if (token.kind == TokenKind::name) {
        return path();
    }
    throw ExpressionMistake{"expected a value", token.position};
}

ExpressionValue Evaluation::path() {
    const std::size_t position = tokens_.current().position;
    if (++paths_ > kMostPaths) {
        throw ExpressionMistake{"more than " + std::to_string(kMostPaths) + " variables", position};
    }
    std::vector<std::string> path{std::string(tokens_.current().text)};
    tokens_.next();
    while (true) {
        const Token token = tokens_.current();
        if (tokens_.take(".")) {
            if (tokens_.current().kind != TokenKind::name) {
                throw ExpressionMistake{"expected a name", tokens_.current().position};
            }
            path.emplace_back(tokens_.current().text);
            tokens_.next();
        } else if (tokens_.take("[")) {
            path.push_back(index());
        } else if (token.kind == TokenKind::sign && token.text == "(") {
            throw ExpressionMistake{"there are no calls in expressions", token.position};
        } else {
            break;
        }
    }
    if (!evaluates()) {
        return {};
    }
    const auto found = at(position, [&] { return (*find_)(path); });
    if (!found && !at(position, [&] { return (*find_)({path.front()}); })) {
        throw ExpressionMistake{"there is no variable " + joined({path.front()}), position};
    }
    return found.value_or(ExpressionValue());
}

/// Between brackets.
std::string Evaluation::index() {
    const std::size_t position = tokens_.current().position;
    const ExpressionValue value = choice();
    tokens_.expect("]");
    return evaluates() ? at(position, [&] { return text_of(value); }) : std::string();
}

}  // namespace jobstrand::schema
