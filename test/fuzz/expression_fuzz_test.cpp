#include "schema/expression.hpp"
#include "test/fuzz/fuzz_run.hpp"

#include <array>
#include <string_view>

namespace jobstrand::test {
namespace {

const Grammar& expression_grammar() {
    static const Grammar grammar(R"grammar(
    text    ::= <open><value>} | <open><value>}<text> | R<open><value>}/PT5M | plain
    open    ::= ${
    value   ::= 1 | <path> | <literal> | (<value>) | <value> <sign> <value> | <value> ? <value> : <value>
              | !<value> | not <value> | empty <value> | -<value> | <path>(<value>)
    literal ::= 0 | 17 | 0.5 | 1e300 | 9223372036854775807 | 99999999999999999999 | true | false | null | 'VIP' | "a\"b" | 'open
    path    ::= order.priority | order | customer | order['a b'] | items[0].price | items[<value>] | execution.id
              | execution | nothing | ä.ö | order.nothing.at.all | a.
    sign    ::= + | - | * | / | % | div | mod | == | != | < | <= | > | >= | eq | ne | lt | le | gt | ge | && | and | or
              | = | & | ,
    json    ::= {"order":<any>,"customer":<any>,"items":[<any>,<any>]} | {} | [<any>] | <nothing> | <any>
    any     ::= 1 | {"priority":<any>,"a b":<any>} | "VIP" | "\u00e4\ud83d\ude00" | "\ud83d" | -12.5e3 | true | null
              | [<any>] | [] | {} | {"a":} | "open
)grammar");
    return grammar;
}

TEST(ExpressionFuzz, No_expression_crashes_or_reads_beyond_its_job) {
    const FuzzCount count = fuzz(
        [](Dice& dice) { return nearly_valid(expression_grammar(), "text", dice); },
        [](const std::string& text, Dice& dice) {
            schema::Job job;
            job.payload = nearly_valid(expression_grammar(), "json", dice);
            const auto mistake = schema::mistake_in_expressions(text);
            const auto value = schema::evaluate_text(text, job);
            const auto number = schema::evaluate_number(text, job);
            for (const schema::ParseError* error :
                 {value ? nullptr : &value.error(), number ? nullptr : &number.error()}) {
                if (error != nullptr) {
                    EXPECT_LE(error->position, text.size());
                    EXPECT_FALSE(error->message.empty());
                }
            }
            EXPECT_FALSE(mistake && value) << "what means nothing came to " << value.value();
            return !mistake;
        }
    );
    EXPECT_GT(count.taken, count.texts / 8);
}

}  // namespace
}  // namespace jobstrand::test
