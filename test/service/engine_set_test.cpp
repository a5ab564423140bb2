#include "tools/service/api/engine_set.hpp"

#include "persistence/drivers/database.hpp"
#include "persistence/drivers/database_url.hpp"
#include "test/fixtures/temporary_directory.hpp"
#include "test/service/raw_client.hpp"
#include "tools/access/token_file.hpp"
#include "tools/service/http_service.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <jobstrand/engine_of.hpp>
#include <nlohmann/json.hpp>

#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <vector>

namespace jobstrand {
namespace {

using nlohmann::json;
using test::get;
using test::post;
using test::RawClient;
using test::RawResponse;
using testing::HasSubstr;

constexpr const char* kJobsPath = "/api/v1/jobs";

/// One of the engines, on a SQLite file, with its address.
struct OneOfTheSet {
    OneOfTheSet(
        const std::string& name,
        const test::TemporaryDirectory& directory,
        service::EngineSet& set,
        const std::string& token_file
    )
        : url("sqlite:" + (directory.path() / (name + ".db")).string() + "?synchronous=off") {
        settings.http.listen = "127.0.0.1:0";
        settings.http.token_file = token_file;
        engine = std::make_unique<engine::Wiring>(
            engine::WiringOptions{.database_url = url}, clock, log
        );
        parts = std::make_unique<service::ApiParts>(service::ApiParts{
            .engine = *engine, .settings = settings, .log = log, .engine_name = name, .set = &set});
        http = std::make_unique<service::HttpService>(*parts, false);
        http->start();
    }

    [[nodiscard]] RawResponse ask(const std::string& bytes) const {
        return RawClient(http->port()).ask(bytes);
    }

    [[nodiscard]] std::size_t jobs() const {
        return static_cast<std::size_t>(engine->store().count(schema::JobPlace::executable, {}));
    }

    const std::string url;
    schema::SystemClock clock;
    schema::SilentLog log;
    cli::Settings settings;
    std::unique_ptr<engine::Wiring> engine;
    std::unique_ptr<service::ApiParts> parts;
    std::unique_ptr<service::HttpService> http;
};

/// Two databases that are as one. Jobs of the instance `for-a` belong to a, those of `for-b` to b.
class EngineSetTest : public testing::Test {
protected:
    explicit EngineSetTest(const std::string& token_file = {})
        : token_file_(token_file.empty() ? "" : (directory.path() / token_file).string()) {}

    void SetUp() override {
        a = std::make_unique<OneOfTheSet>("a", directory, set, token_file_);
        b = std::make_unique<OneOfTheSet>("b", directory, set, token_file_);
        set.join(*a->parts);
        if (b_is_open) {
            set.join(*b->parts);
        }
        ASSERT_EQ(engine_of("for-a", names), "a");
        ASSERT_EQ(engine_of("for-b", names), "b");
    }

    ~EngineSetTest() override { set.stop(); }

    /// A job of the instance `for-` and what is said.
    [[nodiscard]] static json job(const std::string& engine, const std::string& id = {}) {
        json one{{"handlerType", "noop"}, {"processInstanceId", "for-" + engine}};
        if (!id.empty()) {
            one["id"] = id;
        }
        return one;
    }

    /// One of each engine.
    [[nodiscard]] static std::string mixed() { return json{job("b", "1"), job("a", "2")}.dump(); }

    [[nodiscard]] static std::string keyed(const std::string& body) {
        return post(kJobsPath, body, "Idempotency-Key: k\r\n");
    }

    const std::vector<std::string> names{"a", "b"};
    const test::TemporaryDirectory directory;
    schema::SilentLog log;
    service::EngineSet set{names, log, std::chrono::milliseconds(50)};
    bool b_is_open = true;
    std::unique_ptr<OneOfTheSet> a;
    std::unique_ptr<OneOfTheSet> b;

private:
    const std::string token_file_;
};

TEST_F(EngineSetTest, A_job_is_stored_where_it_belongs_whichever_address_it_came_to) {
    for (const auto& at : {&a, &b}) {
        for (const std::string engine : {"a", "b"}) {
            const RawResponse answer = (*at)->ask(post(kJobsPath, job(engine).dump()));
            ASSERT_EQ(answer.status, 201) << answer.body;
            EXPECT_EQ(json::parse(answer.body).at("engine"), engine);
        }
    }
    EXPECT_EQ(a->jobs(), 2U);
    EXPECT_EQ(b->jobs(), 2U);
}

TEST_F(
    EngineSetTest,
    An_instance_goes_before_a_unique_key_that_before_a_series_and_that_before_an_id
) {
    json one{{"handlerType", "noop"}, {"id", "for-b"}};
    EXPECT_EQ(json::parse(a->ask(post(kJobsPath, one.dump())).body).at("engine"), "b");
    one = {{"handlerType", "noop"}, {"series", "for-a"}, {"repeat", "R/PT1H"}, {"id", "for-b"}};
    EXPECT_EQ(json::parse(b->ask(post(kJobsPath, one.dump())).body).at("engine"), "a");
    one = {{"handlerType", "noop"}, {"id", "for-a"}, {"uniqueKey", "for-b"}};
    EXPECT_EQ(json::parse(a->ask(post(kJobsPath, one.dump())).body).at("engine"), "b");
    one = {{"handlerType", "noop"}, {"processInstanceId", "for-a"}, {"uniqueKey", "for-b"}};
    EXPECT_EQ(json::parse(b->ask(post(kJobsPath, one.dump())).body).at("engine"), "a");
}

TEST_F(EngineSetTest, The_answer_about_many_names_the_engine_of_each) {
    const json answer = json::parse(a->ask(post(kJobsPath, mixed())).body);
    EXPECT_EQ(answer.at("added"), 2) << answer;
    EXPECT_EQ(answer.at("ids"), json({"1", "2"}));
    EXPECT_EQ(answer.at("engines"), json({"b", "a"}));
    const std::string lines = job("a").dump() + "\n" + job("a").dump() + "\n";
    std::string request = post(kJobsPath, lines);
    request.replace(request.find("application/json"), 16, "application/x-ndjson");
    EXPECT_EQ(json::parse(b->ask(request).body).at("engines"), json({"a", "a"}));
    EXPECT_EQ(a->jobs(), 3U);
}

TEST_F(EngineSetTest, Jobs_that_have_nothing_that_says_where_stay_together) {
    std::vector<std::size_t> stored;
    for (int i = 0; i < 2; ++i) {
        const std::string body = R"([{"handlerType":"noop"},{"handlerType":"noop"}])";
        const json answer = json::parse(a->ask(post(kJobsPath, body)).body);
        EXPECT_EQ(answer.at("engines").at(0), answer.at("engines").at(1));
    }
    EXPECT_EQ(a->jobs(), 2U) << "each engine in its turn";
    EXPECT_EQ(b->jobs(), 2U);
}

TEST_F(EngineSetTest, With_a_mistake_in_one_job_none_is_stored_anywhere) {
    json bad = job("b", "1");
    bad["retries"] = "many";
    const RawResponse answer = a->ask(post(kJobsPath, json{job("a", "2"), bad}.dump()));
    EXPECT_EQ(answer.status, 400);
    EXPECT_THAT(answer.body, HasSubstr("2: retries must be"));
    EXPECT_EQ(a->jobs() + b->jobs(), 0U);
}

TEST_F(EngineSetTest, A_request_that_is_repeated_under_its_key_adds_nothing) {
    const std::string body = json{job("b"), job("a"), {{"handlerType", "noop"}}}.dump();
    const RawResponse first = a->ask(keyed(body));
    ASSERT_EQ(first.status, 201) << first.body;
    const RawResponse again = b->ask(keyed(body));
    EXPECT_EQ(again.body, first.body);
    EXPECT_THAT(again.head, HasSubstr("Idempotency-Replayed: true"));
    EXPECT_EQ(a->jobs() + b->jobs(), 3U);
    EXPECT_EQ(a->ask(keyed(mixed())).status, 422) << "another request";
    const std::string one = R"({"handlerType":"noop"})";
    const std::string request = post(kJobsPath, one, "Idempotency-Key: one\r\n");
    EXPECT_EQ(a->ask(request).body, b->ask(request).body);
}

TEST_F(
    EngineSetTest,
    Under_its_key_a_request_that_another_set_would_part_otherwise_is_another_one
) {
    const std::string body = json{job("a"), job("b"), job("b")}.dump();
    EXPECT_EQ(a->ask(keyed(body)).status, 201);
    service::EngineSet of_one({"b", "c"}, log);
    auto parts = *b->parts;
    parts.set = &of_one;
    of_one.join(parts);
    parts.engine_name = "c";
    of_one.join(parts);
    std::promise<service::Response> answer;
    service::Request request{
        .method = "POST",
        .target = kJobsPath,
        .headers = {{"Content-Type", "application/json"}, {"Idempotency-Key", "k"}},
        .body = body,
        .caller = "local"};
    of_one.enqueue(request, [&](service::Response given) { answer.set_value(std::move(given)); });
    EXPECT_EQ(answer.get_future().get().status, 422);
    EXPECT_EQ(b->jobs(), 2U);
    of_one.stop();
}

TEST_F(EngineSetTest, A_job_is_found_at_any_address) {
    (void)a->ask(post(kJobsPath, mixed()));
    for (const auto& at : {&a, &b}) {
        EXPECT_EQ(json::parse((*at)->ask(get("/api/v1/jobs/1")).body).at("engine"), "b");
        EXPECT_EQ(json::parse((*at)->ask(get("/api/v1/jobs/2")).body).at("engine"), "a");
        EXPECT_EQ((*at)->ask(get("/api/v1/jobs/3")).status, 404);
    }
}

TEST_F(EngineSetTest, A_database_that_does_not_answer_keeps_no_job_of_the_other_waiting) {
    const auto url = persistence::parse_database_url(b->url).value();
    const auto pool = persistence::open_database(url, {});
    std::vector<std::future<RawResponse>> waiting;
    {
        const auto lease = pool->lease(persistence::SessionPool::Access::write);
        lease->begin();
        (void)lease->execute("UPDATE ACT_RU_JOB SET RETRIES_ = 0", {});
        for (int i = 0; i < 12; ++i) {
            waiting.push_back(std::async(std::launch::async, [this, i] {
                return b->ask(
                    post(kJobsPath, i % 2 == 0 ? job("b").dump() : json::array({job("b")}).dump())
                );
            }));
        }
        for (int i = 0; i < 12; ++i) {
            EXPECT_EQ(b->ask(post(kJobsPath, job("a").dump())).status, 201);
            EXPECT_EQ(b->ask(post(kJobsPath, json{job("a"), job("a")}.dump())).status, 201);
        }
        for (const auto& one : waiting) {
            EXPECT_EQ(one.wait_for(std::chrono::seconds(0)), std::future_status::timeout);
        }
        lease->rollback();
    }
    for (auto& one : waiting) {
        EXPECT_EQ(one.get().status, 201);
    }
    EXPECT_EQ(a->jobs(), 36U);
    EXPECT_EQ(b->jobs(), 12U);
}

TEST_F(EngineSetTest, Who_has_jobs_for_others_too_does_not_wait_for_one_that_is_silent) {
    const auto pool =
        persistence::open_database(persistence::parse_database_url(b->url).value(), {});
    const auto lease = pool->lease(persistence::SessionPool::Access::write);
    lease->begin();
    (void)lease->execute("UPDATE ACT_RU_JOB SET RETRIES_ = 0", {});
    std::vector<std::future<RawResponse>> asked;
    do {  // Before it counts as silent each of them waits.
        ASSERT_LT(asked.size(), 50U);
        asked.push_back(std::async(std::launch::async, [this] {
            return a->ask(post(kJobsPath, json{job("a"), job("b")}.dump()));
        }));
    } while (asked.back().wait_for(std::chrono::milliseconds(100)) != std::future_status::ready);
    const RawResponse answer = asked.back().get();
    asked.pop_back();
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.body, HasSubstr("a: stored; b: the database does not answer"));
    EXPECT_FALSE(asked.empty());
    for (int i = 0; i < 4; ++i) {
        const RawResponse elsewhere = a->ask(post(kJobsPath, R"({"handlerType":"noop"})"));
        EXPECT_EQ(json::parse(elsewhere.body).at("engine"), "a");
    }
    lease->rollback();
    for (auto& one : asked) {
        EXPECT_EQ(one.get().status, 201);
    }
}

/// Requests for b, while somebody else writes there and does not end.
class SilentB : public EngineSetTest {
protected:
    void enqueue(service::EngineSet& of_one, const std::string& jobs) const {
        of_one.enqueue(
            {.method = "POST",
             .target = kJobsPath,
             .headers = {{"Content-Type", "application/json"}},
             .body = jobs},
            [status = status](const service::Response& given) { *status = given.status; }
        );
    }

    /// Till the lease is rolled back.
    [[nodiscard]] persistence::SessionPool::Lease keep_busy() const {
        auto lease = pool->lease(persistence::SessionPool::Access::write);
        lease->begin();
        (void)lease->execute("UPDATE ACT_RU_JOB SET RETRIES_ = 0", {});
        return lease;
    }

    void SetUp() override {
        EngineSetTest::SetUp();
        pool = persistence::open_database(persistence::parse_database_url(b->url).value(), {});
    }

    std::shared_ptr<persistence::SessionPool> pool;
    /// Of the last answer; whoever has to answer holds it, as he holds a connection.
    const std::shared_ptr<std::atomic<int>> status = std::make_shared<std::atomic<int>>(0);
};

// An answer keeps its connection, and that may not outlive the server that it is one of.
TEST_F(SilentB, What_waits_for_a_database_when_the_set_is_stopped_is_let_go_of) {
    for (const std::string& body : {job("b").dump(), json::array({job("b")}).dump()}) {
        service::EngineSet of_one({"b"}, log);
        of_one.join(*b->parts);
        const auto lease = keep_busy();
        for (int i = 0; i < 12; ++i) {
            enqueue(of_one, body);
        }
        const auto stopping = std::async(std::launch::async, [&of_one] { of_one.stop(); });
        while (*status != 503) {  // None waits any more.
            enqueue(of_one, job("b").dump());
        }
        lease->rollback();
        stopping.wait();
        EXPECT_EQ(status.use_count(), 1) << body;
        *status = 0;
        enqueue(of_one, body);
        EXPECT_EQ(*status, 503) << "whoever comes now is told";
    }
}

TEST_F(SilentB, It_holds_few_connections_and_little_memory_of_those_who_ask) {
    service::EngineSet of_one({"b"}, log, std::chrono::milliseconds(0));
    of_one.join(*b->parts);
    const auto lease = keep_busy();
    for (int i = 0; i < 4; ++i) {
        enqueue(of_one, job("b").dump());
    }
    json large = job("b");
    large["payload"] = std::string(std::size_t{64} * 1024, 'x');
    std::promise<service::Response> answer;
    of_one.enqueue(
        {.method = "POST",
         .target = kJobsPath,
         .headers = {{"Content-Type", "application/json"}},
         .body = large.dump()},
        [&](service::Response given) { answer.set_value(std::move(given)); }
    );
    const service::Response refused = answer.get_future().get();
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, HasSubstr("b: the database does not answer; nothing was done"));
    for (int i = 4; i < 64; ++i) {
        enqueue(of_one, job("b").dump());
    }
    EXPECT_EQ(*status, 0);
    enqueue(of_one, job("b").dump());
    EXPECT_EQ(*status, 503);
    lease->rollback();
    of_one.stop();
}

/// One of the databases could not be opened yet.
class HalfASet : public EngineSetTest {
protected:
    HalfASet() { b_is_open = false; }
};

TEST_F(HalfASet, What_was_stored_and_what_was_not_is_said_exactly) {
    const RawResponse answer = a->ask(post(kJobsPath, mixed()));
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.head, HasSubstr("Retry-After: 1"));
    const json problem = json::parse(answer.body);
    EXPECT_EQ(problem.at("detail"), "b: the engine is not open; nothing was done; a: stored");
    const json of_b{
        {"engine", "b"},
        {"status", 503},
        {"jobs", json::array({1})},
        {"detail", "the engine is not open; nothing was done"}};
    const json of_a{
        {"engine", "a"}, {"status", 201}, {"jobs", json::array({2})}, {"ids", json::array({"2"})}};
    EXPECT_EQ(problem.at("parts"), json({of_b, of_a}));
    EXPECT_EQ(a->jobs(), 1U);
    EXPECT_EQ(b->jobs(), 0U);
}

TEST_F(HalfASet, A_repeated_request_adds_what_is_missing) {
    EXPECT_EQ(a->ask(keyed(mixed())).status, 503);
    set.join(*b->parts);
    const RawResponse again = a->ask(keyed(mixed()));
    EXPECT_EQ(again.status, 201) << again.body;
    EXPECT_EQ(json::parse(again.body).at("ids"), json({"1", "2"}));
    EXPECT_EQ(a->jobs(), 1U);
    EXPECT_EQ(b->jobs(), 1U);
}

TEST_F(HalfASet, The_same_ids_without_a_key_add_what_is_missing_too) {
    EXPECT_EQ(a->ask(post(kJobsPath, mixed())).status, 503);
    set.join(*b->parts);
    const RawResponse again = a->ask(post(kJobsPath, mixed()));
    EXPECT_EQ(again.status, 409);
    EXPECT_THAT(again.body, HasSubstr("b: stored; a: there is a job 2 already; no job was added"));
    EXPECT_EQ(a->jobs(), 1U);
    EXPECT_EQ(b->jobs(), 1U);
}

TEST_F(HalfASet, Jobs_of_the_other_are_taken_and_those_without_a_key_go_there) {
    EXPECT_EQ(a->ask(post(kJobsPath, job("a").dump())).status, 201);
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(a->ask(post(kJobsPath, R"({"handlerType":"noop"})")).status, 201);
    }
    const RawResponse refused = a->ask(post(kJobsPath, job("b").dump()));
    EXPECT_EQ(refused.status, 503);
    EXPECT_THAT(refused.body, HasSubstr("b: the engine is not open; nothing was done"));
    EXPECT_EQ(a->jobs(), 4U);
}

TEST_F(HalfASet, Of_a_job_that_nobody_has_it_is_said_who_could_not_be_asked) {
    (void)a->ask(post(kJobsPath, job("a", "1").dump()));
    EXPECT_EQ(a->ask(get("/api/v1/jobs/1")).status, 200);
    const RawResponse answer = a->ask(get("/api/v1/jobs/2"));
    EXPECT_EQ(answer.status, 503);
    EXPECT_THAT(answer.body, HasSubstr("and b could not be asked"));
}

/// Engines with tokens, of which one is for the engine a alone.
class TokensOfASet : public EngineSetTest {
protected:
    TokensOfASet() : EngineSetTest("tokens") {
        const auto entry = [](const std::string& name, const std::string& token, auto engines) {
            return service::TokenEntry{
                .name = name,
                .role = service::Role::worker,
                .hash = service::hash_of(token),
                .created = "x",
                .scope = {.engines = std::move(engines)}};
        };
        using Names = std::vector<std::string>;
        service::write_tokens(
            (directory.path() / "tokens").string(),
            {entry("all", all_, Names{}), entry("only", only_a_, Names{"a"})}
        );
    }

    [[nodiscard]] RawResponse enqueue(const std::string& token, const std::string& body) const {
        return a->ask(post(kJobsPath, body, "Authorization: Bearer " + token + "\r\n"));
    }

    const std::string all_ = service::new_token();
    const std::string only_a_ = service::new_token();
};

TEST_F(TokensOfASet, One_that_is_for_some_engines_only_reaches_no_other) {
    for (const std::string& body : {job("b").dump(), mixed(), json::array({job("b")}).dump()}) {
        const RawResponse refused = enqueue(only_a_, body);
        EXPECT_EQ(refused.status, 403) << body;
        EXPECT_THAT(refused.body, HasSubstr(R"(this token is not for the engine \"b\")"));
    }
    EXPECT_EQ(a->jobs() + b->jobs(), 0U);
    EXPECT_EQ(enqueue(only_a_, job("a").dump()).status, 201);
    for (int i = 0; i < 4; ++i) {
        const RawResponse stored = enqueue(only_a_, R"({"handlerType":"noop"})");
        EXPECT_EQ(json::parse(stored.body).at("engine"), "a");
    }
    EXPECT_EQ(enqueue(all_, job("b", "secret").dump()).status, 201);
    const std::string shown = "Authorization: Bearer " + only_a_ + "\r\n";
    EXPECT_EQ(a->ask(get("/api/v1/jobs/secret", shown)).status, 404);
}

}  // namespace
}  // namespace jobstrand
