#include "test/fuzz/fuzz_run.hpp"
#include "tools/settings/setting_table.hpp"
#include "tools/settings/settings_file.hpp"
#include "tools/settings/settings_text.hpp"

#include <regex>
#include <string>

namespace jobstrand::test {
namespace {

const Grammar& settings_grammar() {
    static const Grammar grammar(R"grammar(
    file     ::= <settings> | <settings><nl><commands> | preset = <preset><nl><settings>
               | <settings><nl><commands><nl><commands>
    settings ::= <setting> | <setting><nl><settings> | <setting> # why<nl><settings>
               | <cr><nl><setting><cr><nl><settings>
    setting  ::= DEFAULT | DEFAULT | DEFAULT | DEFAULT | DEFAULT | DEFAULT | DEFAULT | DEFAULT | DEFAULT
               | DEFAULT | DEFAULT | DEFAULT | <known> = <value> | <known> = <value> | <known>.<key> = <value>
               | "<known>" = <value> | <key> = <value> | db = <url>
    known    ::= SETTING
    value    ::= <number> | <number> | <duration> | <duration> | <flag> | <text> | <list> | <table> | <time>
    number   ::= 8 | 1 | 0 | -1 | 1_000 | 0x10 | 9223372036854775807 | 9223372036854775808 | 1.5 | inf | nan
               | 1e400
    duration ::= "PT30S" | "PT0.5S" | "P1D" | "PT0S" | "P1Y" | "PT" | "30s" | "PT99999999999H"
    flag     ::= true | false | True
    text     ::= "info" | 'warn' | "" | """<nl>long<nl>""" | '''a'b''' | "\u0000" | "\U0001F600" | "R5/PT5M"
               | "PT5M,PT20M, PT3M" | "flowable-6"
    list     ::= [] | ["a", "b"] | [<value>] | [<value>, <value>,] | [[<list>]]
    table    ::= {} | { <key> = <value> } | { <key> = <value>, <key> = <value> } | { <dotted> = 1 }
    time     ::= 1979-05-27T07:32:00Z | 1979-05-27 | 07:32:00 | 25:00:00
    key      ::= x | LANG | "a b" | '' | a-b | ä | 1
    dotted   ::= a | a.<dotted> | "b".<dotted>
    preset   ::= "flowable-6" | "camunda-7" | "quartz" | 6
    url      ::= "sqlite:jobs.db" | "mysql://u:s3cr3t@h/d" | "postgresql://u@h/d?ssl=verify" | "x" | 7
    commands ::= [commands.<name>]<nl><command> | [commands.<name>]<nl><command><nl><command>
               | [commands]<nl><name> = <value> | [<dotted>]<nl><setting> | [[commands]]<nl><command>
    name     ::= thumbnail | "a b" | it | a.b | ""
    command  ::= program = "/bin/true" | program = "/bin/true"<nl>timeLimit = "PT1M"<nl>args = ["a", "b"]
               | program = <program> | program = <program><nl>args = <list>
               | program = <program><nl>timeLimit = <duration> | workingDirectory = <program>
               | environment = <table> | environment = { LANG = "C", JOBSTRAND_X = "1" }
               | timeLimit = <number> | <key> = <value>
    program  ::= "/bin/true" | "/bin/true" | "true" | "" | "/bin/\u0000" | 7
)grammar");
    return grammar;
}

/// A line that sets a setting to what it is anyway.
std::string a_default(Dice& dice) {
    static const std::vector<const cli::Setting*> settings = cli::all_settings();
    static const cli::Settings defaults;
    const cli::Setting& setting = *dice.any_of(settings);
    const std::string value = cli::text_of(defaults, setting);
    const bool is_bare = setting.unit == cli::Unit::flag || setting.unit == cli::Unit::count;
    return std::string(setting.name) + " = " + (is_bare ? value : '"' + value + '"');
}

/// The grammar leaves open which settings there are; their table says it.
std::string with_settings(std::string text, Dice& dice) {
    static const std::vector<std::string_view> names = cli::known_names();
    constexpr std::string_view name = "SETTING";
    for (std::size_t at = text.find(name); at != std::string::npos; at = text.find(name, at)) {
        text.replace(at, name.size(), dice.any_of(names));
    }
    constexpr std::string_view line = "DEFAULT";
    for (std::size_t at = text.find(line); at != std::string::npos; at = text.find(line, at)) {
        text.replace(at, line.size(), a_default(dice));
    }
    return text;
}

/// What `config show` prints is a file that says the same.
void expect_same_settings_again(const cli::Settings& settings) {
    const std::string shown = cli::settings_as_toml(settings);
    // Without its colon it has become a part of the user's name.
    static const std::regex password(":[^@/]*s3cr3t");
    EXPECT_FALSE(std::regex_search(shown, password)) << shown;
    const cli::SettingsFile again = cli::read_settings(shown, "shown");
    for (const std::string& problem : again.problems) {
        ADD_FAILURE() << problem << "\n" << shown;
    }
    EXPECT_EQ(cli::settings_as_toml(again.settings), shown);
}

TEST(TomlFuzz, No_configuration_crashes_its_reader_and_what_is_taken_can_be_shown) {
    const FuzzCount count = fuzz(
        [](Dice& dice) {
            std::string text = with_settings(settings_grammar().draw("file", dice), dice);
            return dice.one_in(3) ? damaged(std::move(text), dice) : text;
        },
        [](const std::string& text, Dice&) {
            const cli::SettingsFile file = cli::read_settings(text, "jobstrand.toml");
            for (const std::string& problem : file.problems) {
                EXPECT_TRUE(problem.starts_with("jobstrand.toml:")) << problem;
                EXPECT_LT(problem.size(), 2000U) << problem;
            }
            if (file.problems.empty()) {
                expect_same_settings_again(file.settings);
            }
            return file.problems.empty();
        }
    );
    EXPECT_GT(count.taken, count.texts / 20);
}

TEST(TomlFuzz, No_number_of_parts_of_a_name_exhausts_the_stack_wherever_it_hides) {
    std::string parts;
    for (int i = 0; i < 40'000; ++i) {
        parts += "a.";
    }
    parts += "a";
    for (const std::string& text :
         {parts + " = 1",
          "[" + parts + "]",
          "x = { " + parts + " = 1 }",
          "x = { a = \"\"\"\n' \"\"\", " + parts + " = 1 }",
          "x = { a = '''\n\" ''', " + parts + " = 1 }",
          "\"'\"." + parts + " = 1",
          "x = \"\\\\\" # '\n" + parts + " = 1"}) {
        EXPECT_FALSE(cli::read_settings(text, "f").problems.empty()) << text.substr(0, 40);
    }
}

TEST(TomlFuzz, No_depth_of_brackets_exhausts_the_stack) {
    for (const auto& [open, close] :
         {std::pair{"[", "]"}, {"{a=", "}"}, {"[{a=", "}]"}, {"\"", ""}, {"[[", ""}}) {
        std::string text = "x = ";
        for (int i = 0; i < 50'000; ++i) {
            text += open;
        }
        text += '1';
        for (int i = 0; i < 50'000; ++i) {
            text += close;
        }
        EXPECT_FALSE(cli::read_settings(text, "f").problems.empty()) << open;
    }
}

}  // namespace
}  // namespace jobstrand::test
