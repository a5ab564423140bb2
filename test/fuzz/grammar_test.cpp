#include "test/fuzz/grammar.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>
#include <stdexcept>
#include <string>

namespace jobstrand::test {
namespace {

using testing::ElementsAre;

TEST(Grammar, It_draws_every_text_of_its_language_and_no_other) {
    const Grammar grammar(R"(
        greeting ::= <word>, <name>! | <word>.
        word     ::= hello
                   | good day
        name     ::= Ann | Bo
    )");
    Dice dice(1);
    std::set<std::string> drawn;
    for (int i = 0; i < 1000; ++i) {
        drawn.insert(grammar.draw("greeting", dice));
    }
    EXPECT_THAT(
        drawn,
        ElementsAre(
            "good day, Ann!", "good day, Bo!", "good day.", "hello, Ann!", "hello, Bo!", "hello."
        )
    );
}

TEST(Grammar, A_rule_that_calls_itself_comes_to_an_end) {
    const Grammar grammar("list ::= x | (<list><list>) | (<list><list>) | (<list><list>)");
    Dice dice(1);
    for (int i = 0; i < 100; ++i) {
        EXPECT_LT(grammar.draw("list", dice).size(), 2000U);
    }
}

TEST(Grammar, What_cannot_be_seen_has_a_name) {
    const Grammar grammar("text ::= a<blank><tab><cr><nl><nothing>b");
    Dice dice(1);
    EXPECT_EQ(grammar.draw("text", dice), "a \t\r\nb");
}

TEST(Grammar, Pipes_within_a_word_and_signs_of_all_kinds_stand_for_themselves) {
    const Grammar grammar(R"(text ::= a|b="\u0000";x:=y | a|b="\u0000";x:=y)");
    Dice dice(1);
    EXPECT_EQ(grammar.draw("text", dice), R"(a|b="\u0000";x:=y)");
}

TEST(Grammar, Rules_that_cannot_be_meant_are_mistakes) {
    EXPECT_THROW(Grammar("a ::= <b>"), std::invalid_argument);
    EXPECT_THROW(Grammar("| a"), std::invalid_argument);
    EXPECT_THROW(Grammar("a ::= b\nc"), std::invalid_argument);
    Dice dice(1);
    EXPECT_THROW((void)Grammar("a ::= b").draw("b", dice), std::out_of_range);
}

TEST(Grammar, The_same_seed_draws_the_same_texts) {
    const Grammar grammar("text ::= <digit> | <digit><text>\n digit ::= 0 | 1 | 2");
    Dice one(7);
    Dice other(7);
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(nearly_valid(grammar, "text", one), nearly_valid(grammar, "text", other));
    }
}

TEST(Grammar, Damage_changes_a_little) {
    const std::string text = "the quick brown fox jumps over the lazy dog";
    Dice dice(1);
    int changed = 0;
    for (int i = 0; i < 1000; ++i) {
        const std::string broken = damaged(text, dice);
        changed += broken == text ? 0 : 1;
        EXPECT_LE(broken.size(), text.size() + 3 * 6);
    }
    EXPECT_GT(changed, 900);
    EXPECT_NO_THROW((void)damaged("", dice));
}

}  // namespace
}  // namespace jobstrand::test
