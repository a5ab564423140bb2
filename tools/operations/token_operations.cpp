#include "tools/operations/nouns.hpp"
#include "tools/operations/token/tokens.hpp"

namespace jobstrand::cli {

namespace {

[[nodiscard]] const Parameters<TokenFileOptions>& token_file() {
    static const Parameters<TokenFileOptions> all{
        {"--file",
         &TokenFileOptions::file,
         "The token file, in place of httpTokenFile",
         {.unit = "FILE", .may_be_empty = true}},
    };
    return all;
}

[[nodiscard]] Parameters<TokenMakeOptions> token_making() {
    using Options = TokenMakeOptions;
    const auto rules = [](const char* unit, bool is_required = false) {
        return ParameterRules{.unit = unit, .is_required = is_required, .may_be_empty = true};
    };
    return with_part<Options>(
        {
            {"name", &Options::name, "What it is called in the file", rules("NAME", true)},
            {"--role",
             &Options::role,
             "read (look), worker (enqueue too) or admin (everything)",
             rules("ROLE", true)},
            {"--topics",
             &Options::topics,
             "For jobs of these types only: mail,invoice.*",
             rules("TOPICS")},
            {"--tenants",
             &Options::tenants,
             "For jobs of these tenants only: acme,umbra",
             rules("TENANTS")},
            {"--engines",
             &Options::engines,
             "For these engines of the configuration only: main",
             rules("NAMES")},
            {"--expires",
             &Options::expires,
             "Until when it is good: P30D, or a time",
             rules("TIME")},
        },
        token_file(),
        &Options::in
    );
}

}  // namespace

OperationNoun token_noun() {
    using Revoking = TokenRevokeOptions;
    const Parameters<Revoking> names{
        {"names",
         &Revoking::names,
         "Their names",
         {.unit = "NAME", .is_required = true, .is_raw = true}}};
    return {
        .name = "token",
        .summary = "Tokens: who may use the HTTP service",
        .examples =
            "  jobstrand token make shop --role worker --file tokens\n"
            "  jobstrand token ls --file tokens",
        .operations =
            {
                local_operation(
                    {.words = "token make",
                     .summary =
                         "Make a token and print it; the file, which is made if need be, has its "
                         "hash",
                     .examples =
                         "  jobstrand token make shop --role worker --file tokens\n"
                         "  jobstrand token make ops --role admin\n"
                         "  jobstrand token make mailer --role worker --topics mail,invoice.* "
                         "--tenants acme --expires P30D"},
                    token_making(),
                    make_token
                ),
                local_operation(
                    {.words = "token ls",
                     .summary = "List the tokens of the file",
                     .examples = "  jobstrand token ls --file tokens"},
                    token_file(),
                    list_tokens
                ),
                local_operation(
                    {.words = "token revoke",
                     .summary =
                         "Take tokens out of the file; a running service lets them in for 2 s at "
                         "most",
                     .examples = "  jobstrand token revoke shop --file tokens"},
                    with_part<Revoking>(names, token_file(), &Revoking::in),
                    revoke_tokens
                ),
            },
    };
}

}  // namespace jobstrand::cli
