#include "persistence/journal_store.hpp"
#include "test/service/api_fixture.hpp"
#include "tools/operations/nouns.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::send;

/// An operation on both roads of a service: as a verb, which `--server` takes, and as a typed path.
struct Roads {
    std::string words;
    json arguments;       ///< Of the verb.
    std::string request;  ///< `PUT /api/v1/limits/type:a`.
    json body = {};       ///< Of the request; null: it has none.

    /// Verbs that make the state anew, before each of the two: words and arguments.
    std::vector<std::pair<std::string, json>> before = {};
};

class OperationPaths : public test::ApiTest {
protected:
    [[nodiscard]] test::RawResponse verb(std::string words, const json& arguments) const {
        std::ranges::replace(words, ' ', '/');
        return ask(test::post("/api/v1/verbs/" + words, json{{"arguments", arguments}}.dump()));
    }

    [[nodiscard]] test::RawResponse typed(const std::string& request, const json& body) const {
        const std::size_t blank = request.find(' ');
        return ask(send(
            request.substr(0, blank), request.substr(blank + 1), body.is_null() ? "" : body.dump()
        ));
    }

    /// What is there already stays.
    void prepare(const Roads& roads) const {
        for (const auto& [words, arguments] : roads.before) {
            EXPECT_LT(verb(words, arguments).status, 500) << words;
        }
    }

    /// The latest first.
    [[nodiscard]] std::vector<persistence::AuditEntry> entries() {
        return engine.audit_store().audit({}, {}, 1000);
    }

    /// What takes one of the roads writes down: nothing, or one entry.
    template <typename Take>
    [[nodiscard]] std::optional<persistence::AuditEntry> audit_of(const Take& take) {
        const std::size_t before = entries().size();
        take();
        const auto after = entries();
        EXPECT_LE(after.size(), before + 1);
        return after.size() == before ? std::nullopt : std::optional(after.front());
    }

    [[nodiscard]] static std::string exit_code(const test::RawResponse& response) {
        const std::size_t at = response.head.find("Jobstrand-Exit-Code: ");
        return at == std::string::npos ? "none" : response.head.substr(at, 22);
    }
};

/// What may differ: typed paths say why, where verbs have a line on stderr, and put a list into a
/// record where there is one for all.
[[nodiscard]] json without_reasons(json result) {
    if (result.is_object()) {
        result.erase("now");
        result.erase("until");  // Each road takes the lock, or renews it.
    }
    if (result.is_object() && result.contains("items")) {
        result = result["items"];
    }
    if (result.is_array()) {
        for (json& item : result) {
            item.erase("why");
            item.erase("until");
            if (item.contains("check")) {
                item.erase("text");  // What it found has times.
            }
        }
    }
    return result;
}

[[nodiscard]] std::vector<Roads> all_roads() {
    const std::vector<std::pair<std::string, json>> limit{
        {"limit set", {"type:a", "--concurrent", "5"}}};
    const std::vector<std::pair<std::string, json>> lock{
        {"lock acquire", {"books", "--owner", "a"}}};
    const std::vector<std::pair<std::string, json>> calendar{
        {"calendar set", {"closed", "weekly SUN"}}};
    const std::vector<std::pair<std::string, json>> series{
        {"series rm", {"s"}},
        {"job add", {"--type", "noop", "--repeat", "R/PT1H", "--series", "s"}}};
    const std::vector<std::pair<std::string, json>> dead{
        {"job add", {"--type", "noop", "--id", "d"}}, {"job cancel", {"d", "--reason", "x"}}};
    const std::vector<std::pair<std::string, json>> job{
        {"job rm", {"j"}}, {"job add", {"--type", "noop", "--id", "j"}}};
    const std::vector<std::pair<std::string, json>> definition{
        {"definition set", {"a", "--priority", "7"}}};
    const std::vector<std::pair<std::string, json>> timer{
        {"job rm", {"t"}}, {"job add", {"--type", "noop", "--id", "t", "--due", "2126-06-01"}}};
    return {
        {"job explain", {"none"}, "GET /api/v1/jobs/none/explanation"},
        {"job set",
         {"--retries", "2", "--", "j", "none"},
         "POST /api/v1/jobs/set",
         {{"ids", {"j", "none"}}, {"retries", 2}},
         job},
        {"job cancel",
         {"--reason", "x", "--", "j"},
         "POST /api/v1/jobs/cancel",
         {{"ids", {"j"}}, {"reason", "x"}},
         job},
        {"job suspend", {"--", "j"}, "POST /api/v1/jobs/suspend", {{"ids", {"j"}}}, job},
        {"job activate", {"--", "none"}, "POST /api/v1/jobs/activate", {{"ids", {"none"}}}},
        {"job rm",
         {"--yes", "--type", "noop"},
         "POST /api/v1/jobs/rm",
         {{"type", {"noop"}}, {"yes", true}},
         job},
        {"timer ls",
         {"--zone", "Europe/Berlin", "--limit", "1"},
         "GET /api/v1/timers?zone=Europe/Berlin&limit=1",
         {},
         {timer.back()}},
        {"timer show", {"--", "t"}, "GET /api/v1/timers/t", {}, {timer.back()}},
        {"timer fire",
         {"--", "t", "none"},
         "POST /api/v1/timers/fire",
         {{"ids", {"t", "none"}}},
         timer},
        {"timer reschedule",
         {"--due", "2126-01-01", "--", "t"},
         "POST /api/v1/timers/reschedule",
         {{"ids", {"t"}}, {"due", "2126-01-01"}},
         timer},
        {"timer rm",
         {"--yes", "--type", "noop"},
         "POST /api/v1/timers/rm",
         {{"type", {"noop"}}, {"yes", true}},
         timer},
        {"timer next",
         {"--after", "2026-01-01", "--count", "2", "--", "R/PT10H"},
         "GET /api/v1/timers/next?expression=R/PT10H&after=2026-01-01&count=2"},
        {"instance ls", {"--suspended"}, "GET /api/v1/instances?suspended=true"},
        {"instance suspend", {"--", "a"}, "POST /api/v1/instances/suspend", {{"ids", {"a"}}}},
        {"instance activate", {"--", "a"}, "POST /api/v1/instances/activate", {{"ids", {"a"}}}},
        {"tenant ls", {"--suspended"}, "GET /api/v1/tenants?suspended=true"},
        {"tenant suspend", {"--", "a"}, "POST /api/v1/tenants/suspend", {{"ids", {"a"}}}},
        {"tenant activate", {"--", "a"}, "POST /api/v1/tenants/activate", {{"ids", {"a"}}}},
        {"definition suspend",
         {"--element", "e", "--", "a"},
         "POST /api/v1/definitions/suspend",
         {{"ids", {"a"}}, {"element", "e"}}},
        {"definition activate",
         {"--element", "e", "--", "a"},
         "POST /api/v1/definitions/activate",
         {{"ids", {"a"}}, {"element", "e"}}},
        {"definition set",
         {"--priority", "7", "--override", "none", "--", "a"},
         "PUT /api/v1/definitions/a",
         {{"priority", "7"}, {"override", "none"}}},
        {"definition settings", {"--definition", "a"}, "GET /api/v1/definitions?definition=a"},
        {"definition show", {"a"}, "GET /api/v1/definitions/a"},
        {"definition rm", {"--", "a"}, "DELETE /api/v1/definitions/a", {}, definition},
        {"group ls", json::array(), "GET /api/v1/groups", {}, series},
        {"group pause", {"--", "g"}, "POST /api/v1/groups/pause", {{"names", {"g"}}}},
        {"group resume", {"--", "g"}, "POST /api/v1/groups/resume", {{"names", {"g"}}}},
        {"limit ls", json::array(), "GET /api/v1/limits", {}, limit},
        {"limit set",
         {"--per-node", "2", "--rate", "9/PT1M", "--", "type:a"},
         "PUT /api/v1/limits/type:a",
         {{"perNode", 2}, {"rate", "9/PT1M"}}},
        {"limit rm", {"--", "type:a"}, "DELETE /api/v1/limits/type:a", {}, limit},
        {"limit rm", {"--", "type:none"}, "DELETE /api/v1/limits/type:none"},
        {"lock ls", {"--limit", "9"}, "GET /api/v1/locks?limit=9", {}, lock},
        {"lock acquire",
         {"--owner", "a", "--duration", "5m", "--", "books"},
         "POST /api/v1/locks/books/acquire",
         {{"owner", "a"}, {"duration", "PT5M"}},
         lock},
        {"lock acquire",
         {"--owner", "b", "--", "books"},
         "POST /api/v1/locks/books/acquire",
         {{"owner", "b"}},
         lock},
        {"lock renew",
         {"--owner", "a", "--", "books"},
         "POST /api/v1/locks/books/renew",
         {{"owner", "a"}},
         lock},
        {"lock renew",
         {"--owner", "b", "--", "books"},
         "POST /api/v1/locks/books/renew",
         {{"owner", "b"}},
         lock},
        {"lock release",
         {"--owner", "a", "--", "books"},
         "DELETE /api/v1/locks/books?owner=a",
         {},
         lock},
        {"lock release",
         {"--owner", "b", "--", "books"},
         "DELETE /api/v1/locks/books?owner=b",
         {},
         lock},
        {"type ls", {"--soon"}, "GET /api/v1/types?soon=true", {}, dead},
        {"top", {"--once", "--soon"}, "GET /api/v1/top?soon=true", {}, dead},
        {"rate ls", {"--last", "10m", "--type", "noop"}, "GET /api/v1/rates?last=PT10M&type=noop"},
        {"rate types", {"--last", "24h"}, "GET /api/v1/rates/types?last=24h"},
        {"calendar ls", json::array(), "GET /api/v1/calendars", {}, calendar},
        {"calendar show", {"closed"}, "GET /api/v1/calendars/closed", {}, calendar},
        {"calendar show", {"none"}, "GET /api/v1/calendars/none"},
        {"calendar set",
         {"--", "closed", "weekly SAT"},
         "PUT /api/v1/calendars/closed",
         {{"text", "weekly SAT"}}},
        {"calendar rm", {"--", "closed"}, "DELETE /api/v1/calendars/closed", {}, calendar},
        {"log ls", {"--type", "none", "--since", "1h"}, "GET /api/v1/log?type=none&since=1h"},
        {"log show", {"none"}, "GET /api/v1/log/none"},
        {"log rm", {"--before", "2020-01-01"}, "DELETE /api/v1/log?before=2020-01-01"},
        {"doctor", json::array(), "GET /api/v1/doctor"},
        {"config show", json::array(), "GET /api/v1/settings"},
        {"audit ls", {"--who", "nobody"}, "GET /api/v1/audit?who=nobody"},
        {"audit rm", {"--before", "2020-01-01"}, "DELETE /api/v1/audit?before=2020-01-01"},
        {"incident ls", {"--each"}, "GET /api/v1/incidents?each=true", {}, dead},
        {"incident show", {"none"}, "GET /api/v1/incidents/none"},
        {"incident annotate",
         {"--note", "known", "--", "d"},
         "PUT /api/v1/incidents/d/note",
         {{"note", "known"}}},
        {"incident resolve",
         {"--", "none"},
         "POST /api/v1/incidents/resolve",
         {{"jobs", {"none"}}}},
        {"series ls", {"--state", "waiting"}, "GET /api/v1/series?state=waiting", {}, series},
        {"series show", {"s"}, "GET /api/v1/series/s"},
        {"series pause",
         {"--", "s", "none"},
         "POST /api/v1/series/pause",
         {{"keys", {"s", "none"}}}},
        {"series resume", {"--", "s"}, "POST /api/v1/series/resume", {{"keys", {"s"}}}},
        {"series reschedule",
         {"--repeat", "R/PT2H", "--", "s"},
         "POST /api/v1/series/s/reschedule",
         {{"repeat", "R/PT2H"}}},
        {"series end",
         {"--all", "--yes"},
         "POST /api/v1/series/end",
         {{"all", true}, {"yes", true}},
         series},
        {"series rm", {"--", "none"}, "POST /api/v1/series/rm", {{"keys", {"none"}}}},
        {"series fire", {"--", "none"}, "POST /api/v1/series/fire", {{"keys", {"none"}}}},
        {"dead ls", {"--type", "noop", "--limit", "1"}, "GET /api/v1/dead?type=noop&limit=1"},
        {"dead show", {"d"}, "GET /api/v1/dead/d"},
        {"dead groups", json::array(), "GET /api/v1/dead/groups"},
        {"dead requeue",
         {"--retries", "2", "--", "d", "none"},
         "POST /api/v1/dead/requeue",
         {{"ids", {"d", "none"}}, {"retries", 2}},
         dead},
        {"dead rm",
         {"--yes", "--type", "noop"},
         "POST /api/v1/dead/rm",
         {{"type", {"noop"}}, {"yes", true}},
         dead},
        {"node ls", json::array(), "GET /api/v1/nodes"},
        {"node drain", {"--", "none"}, "POST /api/v1/nodes/none/drain"},
        {"node resume", {"--", "none"}, "POST /api/v1/nodes/none/resume"},
        {"batch ls", {"--limit", "5"}, "GET /api/v1/batches?limit=5"},
        {"batch show", {"none"}, "GET /api/v1/batches/none"},
        {"batch pause", {"--", "none"}, "POST /api/v1/batches/none/pause"},
        {"batch resume", {"--", "none"}, "POST /api/v1/batches/none/resume", json::object()},
        {"batch cancel", {"--", "none"}, "POST /api/v1/batches/none/cancel"},
        {"batch rm", {"--", "none"}, "DELETE /api/v1/batches/none"},
    };
}

TEST_F(OperationPaths, Both_roads_of_an_operation_have_one_result_exit_code_and_audit) {
    for (const Roads& roads : all_roads()) {
        SCOPED_TRACE(roads.words + " " + roads.request);
        test::RawResponse by_verb;
        test::RawResponse by_path;
        prepare(roads);
        const auto of_verb = audit_of([&] { by_verb = verb(roads.words, roads.arguments); });
        prepare(roads);
        const auto of_path = audit_of([&] { by_path = typed(roads.request, roads.body); });

        EXPECT_EQ(exit_code(by_path), exit_code(by_verb)) << by_verb.body << by_path.body;
        if (by_path.status == 200 && by_verb.status == 200) {
            EXPECT_EQ(
                without_reasons(json::parse(by_path.body)),
                without_reasons(json::parse(by_verb.body))
            );
        } else if (by_path.status >= 400) {
            EXPECT_EQ(by_path.status, by_verb.status) << by_path.body;
        }
        ASSERT_EQ(of_path.has_value(), of_verb.has_value());
        if (of_path) {
            EXPECT_EQ(of_path->action, of_verb->action);
            EXPECT_EQ(of_path->result, of_verb->result);
            EXPECT_EQ(of_path->changed, of_verb->changed);
        }
    }
}

TEST_F(OperationPaths, The_table_above_has_each_operation_that_has_a_path) {
    std::set<std::string> tried;
    for (const Roads& roads : all_roads()) {
        tried.insert(roads.words);
    }
    for (const cli::OperationNoun& noun : cli::operation_nouns()) {
        for (const cli::Operation& operation : noun.operations) {
            EXPECT_TRUE(operation.text.path.empty() || tried.contains(operation.text.words))
                << operation.text.words;
        }
    }
}

TEST_F(OperationPaths, A_list_that_goes_on_says_where) {
    for (const char* const name : {"type:a", "type:b", "type:c"}) {
        EXPECT_EQ(verb("limit set", {name, "--concurrent", "1"}).status, 200);
    }
    std::set<std::string> seen;
    std::string path = "/api/v1/audit?limit=2&action=limit%20set";
    while (!path.empty()) {
        const auto page = ask(test::get(path));
        ASSERT_EQ(page.status, 200) << page.body;
        for (const json& entry : json::parse(page.body)) {
            EXPECT_TRUE(seen.insert(entry.at("id")).second);
        }
        const std::size_t begin = page.head.find("Link: <");
        const std::size_t end = page.head.find(">; rel=\"next\"");
        path = begin == std::string::npos ? "" : page.head.substr(begin + 7, end - begin - 7);
    }
    EXPECT_EQ(seen.size(), 3U);
}

}  // namespace
}  // namespace jobstrand
