#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace jobstrand::cli {

/// A piece of what parse_where() reads.
struct WhereToken {
    enum class Kind {
        end,
        open,
        close,
        minus,  ///< Right before what it leaves out.
        word,
        key,  ///< Right before its sign; its value follows.
    };

    Kind kind = Kind::end;
    std::size_t position = 0;  ///< In bytes.
    std::string text = {};     ///< Without quotes.
    std::string sign = {};     ///< Of a key: `:`, `<`, `<=`, `>` or `>=`.
    bool is_quoted = false;

    [[nodiscard]] bool is_word(std::string_view word) const {
        return kind == Kind::word && !is_quoted && text == word;
    }

    /// A word that means itself.
    [[nodiscard]] bool is_plain() const {
        return kind == Kind::word && !is_quoted && text != "AND" && text != "OR" && text != "NOT";
    }

    /// A text that ends in `*` is the beginning of others.
    [[nodiscard]] bool is_beginning() const { return !is_quoted && text.ends_with('*'); }
};

/// Cuts a text into its pieces. Throws schema::ParseError for a quote that is not closed.
class WhereScanner {
public:
    explicit WhereScanner(std::string_view text) : text_(text) {}

    [[nodiscard]] const WhereToken& peek();
    WhereToken take();

    /// What stands right behind a key that was just taken: empty, if nothing does.
    [[nodiscard]] WhereToken take_value();

private:
    [[nodiscard]] WhereToken read();
    [[nodiscard]] WhereToken read_quoted();
    [[nodiscard]] std::string take_sign();

    std::string_view text_;
    std::size_t at_ = 0;
    std::optional<WhereToken> next_;
};

}  // namespace jobstrand::cli
