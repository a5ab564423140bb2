#include "tools/jobstrand/commands/nouns.hpp"
#include "tools/jobstrand/commands/token/tokens.hpp"

namespace jobstrand::cli {

namespace {

void add_file_option(const Command& verb, TokenFileOptions& options) {
    verb.add_option("--file", options.file, "The token file, in place of httpTokenFile")
        .type_name("FILE");
}

}  // namespace

void add_token_commands(const Command& program, Action& action) {
    const Command noun = program.add_noun(
        "token",
        "Tokens: who may use the HTTP service",
        "  jobstrand token make shop --role worker --file tokens\n"
        "  jobstrand token ls --file tokens"
    );
    const auto [make, make_options] = add_verb<TokenMakeOptions>(
        noun,
        action,
        {.name = "make",
         .summary = "Make a token and print it; the file, which is made if need be, has its hash",
         .examples =
             "  jobstrand token make shop --role worker --file tokens\n"
             "  jobstrand token make ops --role admin\n"
             "  jobstrand token make mailer --role worker --topics mail,invoice.* --tenants "
             "acme --expires P30D"},
        make_token
    );
    make.add_option("name", make_options.name, "What it is called in the file")
        .type_name("NAME")
        .required();
    make.add_option(
            "--role", make_options.role, "read (look), worker (enqueue too) or admin (everything)"
    )
        .type_name("ROLE")
        .required();
    make.add_option("--topics", make_options.topics, "For jobs of these types only: mail,invoice.*")
        .type_name("TOPICS");
    make.add_option("--tenants", make_options.tenants, "For jobs of these tenants only: acme,umbra")
        .type_name("TENANTS");
    make.add_option(
            "--engines", make_options.engines, "For these engines of the configuration only: main"
    )
        .type_name("NAMES");
    make.add_option("--expires", make_options.expires, "Until when it is good: P30D, or a time")
        .type_name("TIME");
    add_file_option(make, make_options.in);
    const auto [ls, ls_options] = add_verb<TokenFileOptions>(
        noun,
        action,
        {.name = "ls",
         .summary = "List the tokens of the file",
         .examples = "  jobstrand token ls --file tokens"},
        list_tokens
    );
    add_file_option(ls, ls_options);
    const auto [revoke, revoke_options] = add_verb<TokenRevokeOptions>(
        noun,
        action,
        {.name = "revoke",
         .summary = "Take tokens out of the file; a running service lets them in for 2 s at most",
         .examples = "  jobstrand token revoke shop --file tokens"},
        revoke_tokens
    );
    revoke.add_option("names", revoke_options.names, "Their names").type_name("NAME").required();
    add_file_option(revoke, revoke_options.in);
}

}  // namespace jobstrand::cli
