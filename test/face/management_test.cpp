#include "test/fixtures/signal.hpp"
#include "test/fixtures/sqlite_file.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <jobstrand/engine.hpp>
#include <jobstrand/job_history.hpp>
#include <jobstrand/management.hpp>

#include <chrono>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

namespace jobstrand::test {

namespace {

using testing::AllOf;
using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;
using testing::SizeIs;
using namespace std::chrono_literals;

/// What an app lets its operators do: nothing but the public headers is used here.
class PublicManagement : public testing::Test {
protected:
    PublicManagement() {
        engine_.add_handler("mail", [](const JobContext&) -> HandlerResult {
            return Failed{.message = "timeout", .retryable = false};
        });
        engine_.add_handler("report", [](const JobContext&) -> HandlerResult {
            return Failed{.message = "no data", .retryable = false};
        });
    }

    void add(const std::string& id, const std::string& type, NewJob more = {}) {
        more.id = id;
        more.handler_type = type;
        engine_.enqueue(std::move(more));
    }

    void add_dead(const std::string& id, const std::string& type) {
        add(id, type);
        ASSERT_EQ(engine_.run_job(id), RunAnswer::done);
    }

    const SqliteFile file_;
    Engine engine_{{.database_url = file_.url_text(), .log = nullptr}};
    Management management_{engine_};
};

TEST_F(PublicManagement, One_job_is_changed_suspended_and_cancelled) {
    add("a", "mail");
    EXPECT_EQ(management_.change("a", {.retries = 7, .priority = 4}), ChangeAnswer::done);
    EXPECT_EQ(engine_.find("a")->retries, 7);
    EXPECT_EQ(engine_.find("a")->priority, 4);
    EXPECT_EQ(management_.suspend_job("a"), ChangeAnswer::done);
    EXPECT_EQ(engine_.find("a")->place, JobPlace::suspended);
    EXPECT_EQ(management_.change("a", {.due_date = engine_.now()}), ChangeAnswer::refused);
    EXPECT_EQ(management_.activate_job("a"), ChangeAnswer::done);
    EXPECT_EQ(management_.activate_job("a"), ChangeAnswer::unchanged);
    EXPECT_EQ(management_.cancel("a", "anna", "wrong file"), ChangeAnswer::done);
    EXPECT_EQ(engine_.find("a")->exception_message, "cancelled by anna: wrong file");
    EXPECT_EQ(management_.change("nobody", {.priority = 4}), ChangeAnswer::not_found);
}

TEST_F(PublicManagement, A_payload_is_changed_of_one_job_at_a_time) {
    add("a", "mail", {.payload = "{}"});
    EXPECT_EQ(management_.change("a", {.payload = R"({"to":"ada"})"}), ChangeAnswer::done);
    EXPECT_EQ(engine_.find("a")->payload, R"({"to":"ada"})");
    EXPECT_EQ(management_.change("a", {.priority = 2}), ChangeAnswer::done);
    EXPECT_EQ(engine_.find("a")->payload, R"({"to":"ada"})");
    EXPECT_THROW((void)management_.change("a", {.payload = "\xff"}), std::invalid_argument);
    EXPECT_THROW((void)management_.change_all({}, {.payload = "{}"}), std::invalid_argument);
}

TEST_F(PublicManagement, Jobs_are_meant_by_their_ids) {
    for (const char* const id : {"a", "b", "c"}) {
        add(id, "mail");
    }
    EXPECT_EQ(engine_.count({.ids = {{"a", "c", "nobody"}}}), 2);
    EXPECT_EQ(engine_.list({.ids = {{"a", "c"}}, .descending = true}).front().id, "c");
    EXPECT_EQ(management_.remove_all({.ids = std::vector<std::string>()}).total, 0);
    EXPECT_EQ(management_.change_all({.ids = {{"b"}}}, {.priority = 3}).done, 1);
    EXPECT_EQ(management_.remove_all({.ids = {{"a", "b"}}}).done, 2);
    EXPECT_EQ(engine_.count(JobPlace::executable), 1);
}

TEST_F(PublicManagement, All_that_a_query_means_is_requeued_changed_and_removed) {
    for (const char* const id : {"a", "b", "c"}) {
        add_dead(id, id == std::string("c") ? "report" : "mail");
    }
    const JobQuery dead_mails{.place = JobPlace::dead_letter, .handler_types = {"mail"}};
    const Batch requeued = management_.requeue_all(dead_mails, {.retries = 5});
    EXPECT_EQ(requeued.state, "done");
    EXPECT_EQ(requeued.done, 2);
    EXPECT_EQ(engine_.find("a")->retries, 5);
    EXPECT_EQ(management_.find_batch(requeued.id), requeued);
    EXPECT_EQ(management_.change_all({.handler_types = {"mail"}}, {.priority = 3}).done, 2);
    EXPECT_EQ(engine_.find("b")->priority, 3);
    EXPECT_EQ(management_.remove_all({.place = JobPlace::dead_letter}).done, 1);
    EXPECT_EQ(engine_.count(JobPlace::dead_letter), 0);
    EXPECT_EQ(management_.resume_batch("nobody"), std::nullopt);
}

TEST_F(PublicManagement, An_app_looks_on_stops_a_batch_and_goes_on_with_it) {
    std::vector<NewJob> jobs(2'100, NewJob{.handler_type = "mail"});
    engine_.enqueue_all(std::move(jobs));
    const JobChange give_up{.retries = 0};
    const Batch stopped = management_.change_all({}, give_up, [](const Batch& so_far) {
        return so_far.done < 1'000;
    });
    EXPECT_EQ(stopped.state, "running");
    EXPECT_EQ(stopped.done, 1'000);
    EXPECT_EQ(management_.pause_batch(stopped.id)->state, "paused");
    EXPECT_EQ(management_.resume_batch(stopped.id)->done, 2'100);
    EXPECT_EQ(management_.cancel_batch(stopped.id)->state, "done");
    EXPECT_EQ(engine_.count(JobPlace::dead_letter), 2'100);
}

TEST_F(PublicManagement, What_makes_no_sense_is_refused_before_anything_is_done) {
    add("a", "mail");
    EXPECT_THROW((void)management_.requeue_all({}, {}), std::invalid_argument);
    const JobQuery dead{.place = JobPlace::dead_letter};
    EXPECT_THROW((void)management_.requeue_all(dead, {.retries = 0}), std::invalid_argument);
    EXPECT_THROW((void)management_.change_all(dead, {.retries = 3}), std::invalid_argument);
    EXPECT_THROW(
        (void)management_.remove_all({.message = std::string(5'000, 'x')}), std::invalid_argument
    );
    engine_.in_transaction([&](Transaction&) {
        EXPECT_THROW((void)management_.remove_all({}), std::logic_error);
    });
    EXPECT_EQ(engine_.count(JobPlace::executable), 1);
}

TEST_F(PublicManagement, Whole_scopes_are_suspended) {
    add("a", "mail", {.process_instance_id = "order-17"});
    add("b", "mail", {.tenant_id = "acme"});
    EXPECT_EQ(management_.suspend(SuspendedScope::process_instance, "order-17"), 1);
    EXPECT_EQ(management_.suspend(SuspendedScope::tenant, "acme"), 1);
    add("c", "mail", {.tenant_id = "acme"});
    EXPECT_EQ(engine_.count(JobPlace::suspended), 3);
    EXPECT_EQ(management_.activate(SuspendedScope::tenant, "acme"), 2);
}

TEST_F(PublicManagement, Incidents_are_looked_at_noted_and_resolved) {
    add_dead("a", "mail");
    add_dead("b", "report");
    EXPECT_THAT(management_.incidents({}), SizeIs(2));
    EXPECT_EQ(management_.annotate_incident("a", "anna calls"), ChangeAnswer::done);
    EXPECT_THAT(
        management_.incidents({.handler_type = "mail"}),
        ElementsAre(Field(&Incident::annotation, "anna calls"))
    );
    EXPECT_EQ(management_.resolve_incident("a"), ChangeAnswer::done);
    EXPECT_EQ(management_.resolve_incident("a"), ChangeAnswer::not_found);
    EXPECT_THAT(
        management_.incidents({.is_open = false}),
        ElementsAre(Field(&Incident::resolution, "by hand"))
    );
    EXPECT_EQ(engine_.count(JobPlace::dead_letter), 2);
}

TEST_F(PublicManagement, Limits_are_set_listed_and_removed) {
    const JobLimit mails{.name = "type:mail", .concurrent = 5};
    const JobLimit calls{.name = "tenant:*", .per_node = 2, .rate = StartRate{100, 1min}};
    management_.set_limit({.name = "type:mail", .concurrent = 7, .per_node = 1});
    management_.set_limit(mails);
    management_.set_limit(calls);
    std::vector<JobLimit> set;
    for (const StoredLimit& limit : management_.limits()) {
        set.push_back(limit);
    }
    EXPECT_THAT(set, ElementsAre(calls, mails)) << "all numbers were set anew";
    EXPECT_EQ(management_.remove_limit("type:mail"), ChangeAnswer::done);
    EXPECT_EQ(management_.remove_limit("type:mail"), ChangeAnswer::not_found);
    EXPECT_THAT(management_.limits(), SizeIs(1));
}

TEST_F(PublicManagement, A_limit_that_cannot_be_is_refused) {
    for (const JobLimit& limit : std::vector<JobLimit>{
             {.name = "type:mail"},
             {.name = "mail", .concurrent = 1},
             {.name = "type:mail", .concurrent = -1},
             {.name = "type:mail", .rate = StartRate{0, 1min}},
             {.name = "type:mail", .rate = StartRate{1, 25h}},
         }) {
        EXPECT_THROW(management_.set_limit(limit), std::invalid_argument) << limit.name;
    }
    engine_.in_transaction([&](Transaction&) {
        EXPECT_THROW(
            management_.set_limit({.name = "type:mail", .concurrent = 1}), std::logic_error
        );
    });
    EXPECT_THAT(management_.limits(), IsEmpty());
}

// R065, through the app's own listener.
TEST(PublicIncidents, Who_listens_is_told_of_each_new_one) {
    const SqliteFile file;
    std::vector<std::string> told;
    EngineOptions options{.database_url = file.url_text(), .log = nullptr};
    options.history.on_incident = [&](const Incident& incident) {
        told.push_back(incident.job + ": " + incident.message);
    };
    Engine engine(options);
    engine.add_handler("mail", [](const JobContext&) -> HandlerResult {
        return Failed{.message = "timeout", .retryable = false};
    });
    engine.enqueue({.handler_type = "mail", .id = "a"});
    ASSERT_EQ(engine.run_job("a"), RunAnswer::done);
    EXPECT_THAT(told, ElementsAre("a: timeout"));
}

/// What an app does with jobs as an operator would, by the public headers alone.
class OperatorsEngine : public testing::Test {
protected:
    SqliteFile file_;
    Engine engine_{{.database_url = file_.url_text(), .log = nullptr}};
};

TEST_F(OperatorsEngine, A_query_finds_jobs_page_by_page_in_its_order) {
    const TimePoint noon = engine_.now() + 24h;
    for (int i = 0; i < 5; ++i) {
        engine_.enqueue(
            {.handler_type = i % 2 == 0 ? "mail" : "sms",
             .due_date = noon + 1h * (5 - i),
             .priority = i,
             .id = std::to_string(i)}
        );
    }
    JobQuery query{
        .place = JobPlace::timer,
        .handler_types = {"mail", "sms"},
        .priority_min = 1,
        .with_exception = false,
        .order = JobOrder::due_date,
        .limit = 3};
    EXPECT_EQ(engine_.count(query), 4);
    const auto ids = [&] {
        std::vector<std::string> found;
        for (const StoredJob& job : engine_.list(query)) {
            found.push_back(job.id);
        }
        return found;
    };
    EXPECT_THAT(ids(), ElementsAre("4", "3", "2"));
    query.behind = engine_.list(query).back();
    EXPECT_TRUE(engine_.remove("2")) << "the page goes on where it stood";
    EXPECT_THAT(ids(), ElementsAre("1"));
    query = {.place = JobPlace::timer, .order = JobOrder::priority, .descending = true, .limit = 2};
    EXPECT_THAT(ids(), ElementsAre("4", "3"));
    query = {.place = JobPlace::timer, .due_before = noon + 3h, .retries_max = 3};
    EXPECT_THAT(ids(), ElementsAre("3", "4"));
    query = {.tenant_ids = {"acme"}};
    EXPECT_EQ(engine_.count(query), 0);
}

// R019 R025 R026
TEST_F(OperatorsEngine, Job_definitions_are_set_and_cascaded) {
    const JobDefinition pack{.name = "shipping:3/pack", .priority = "7", .exclusive = false};
    engine_.set_definition(pack);
    EXPECT_EQ(engine_.find_definition("shipping:3/pack"), pack);
    EXPECT_EQ(engine_.find_definition("shipping:3"), std::nullopt);
    const std::string id = engine_.enqueue(
        {.handler_type = "a", .process_definition_id = "shipping:3", .element_id = "pack"}
    );
    EXPECT_EQ(engine_.find(id).value().priority, 7);
    EXPECT_EQ(engine_.cascade_override("shipping:3/pack"), 0) << "there is no override";
    engine_.set_definition({.name = "shipping:3/pack", .override_priority = -1});
    EXPECT_EQ(engine_.cascade_override("shipping:3/pack"), 1);
    EXPECT_EQ(engine_.find(id).value().priority, -1);
    EXPECT_EQ(engine_.definitions().size(), 1U);
    EXPECT_TRUE(engine_.definitions("shipping:3/pack").empty());
    EXPECT_TRUE(engine_.remove_definition("shipping:3/pack"));
    EXPECT_FALSE(engine_.remove_definition("shipping:3/pack"));
    EXPECT_THROW(engine_.set_definition({.name = ""}), std::invalid_argument);
    EXPECT_THROW(engine_.set_definition({.name = "a", .priority = "${"}), std::invalid_argument);
}

/// An app that shows what happened: nothing but the public headers is used here.
class PublicHistory : public testing::Test {
protected:
    PublicHistory() {
        engine_.add_handler("mail", [](const JobContext& context) -> HandlerResult {
            if (context.attempt == 1) {
                return Failed{.message = "timeout", .details = "at send()"};
            }
            context.log("sent\n");
            return Succeeded{};
        });
    }
    ~PublicHistory() override { (void)engine_.stop(); }

    [[nodiscard]] EngineOptions options() const {
        EngineOptions all{.database_url = file_.url_text(), .threads = 1, .log = nullptr};
        all.retry.wait = 0s;
        all.history.job_log = JobLogLevel::full;
        return all;
    }

    SqliteFile file_;
    Engine engine_{options()};
    JobHistory history_{engine_};
};

TEST_F(PublicHistory, A_run_by_hand_says_what_became_of_the_job) {
    engine_.enqueue({.handler_type = "mail", .id = "a"});
    const RunReport failed = engine_.run_job("a");
    EXPECT_EQ(failed.answer, RunAnswer::done);
    EXPECT_EQ(failed.place, JobPlace::timer);
    EXPECT_EQ(failed.message, "timeout");
    engine_.enqueue({.handler_type = "mail", .retries = 1, .id = "b"});
    EXPECT_EQ(engine_.run_job("b").place, JobPlace::dead_letter);
    engine_.add_handler("noop", [](const JobContext&) { return Succeeded{}; });
    engine_.enqueue({.handler_type = "noop", .id = "c"});
    const RunReport succeeded = engine_.run_job("c");
    EXPECT_EQ(succeeded.place, std::nullopt);
    EXPECT_EQ(succeeded.message, "");
    EXPECT_TRUE(engine_.run_job("c") == RunAnswer::not_found) << "an answer alone will do";
}

TEST_F(PublicHistory, The_details_of_a_failure_stay_with_the_job) {
    engine_.enqueue({.handler_type = "mail", .retries = 1, .id = "a"});
    EXPECT_EQ(history_.failure_details("a"), "");
    engine_.run_job("a");
    EXPECT_EQ(history_.failure_details("a"), "at send()");
    EXPECT_EQ(history_.failure_details("nobody"), "");
}

TEST_F(PublicHistory, The_log_tells_the_latest_first_and_page_by_page) {
    engine_.enqueue({.handler_type = "mail", .tenant_id = "acme", .id = "a"});
    engine_.run_job("a");
    engine_.remove("a");
    engine_.enqueue({.handler_type = "mail", .id = "b"});
    EXPECT_THAT(
        history_.log({.job = "a"}),
        ElementsAre(
            Field(&JobLogLine::event, JobEvent::deleted),
            Field(&JobLogLine::event, JobEvent::failed),
            Field(&JobLogLine::event, JobEvent::created)
        )
    );
    const auto failed = history_.log({.tenant_id = "acme", .events = {JobEvent::failed}});
    ASSERT_THAT(failed, SizeIs(1));
    EXPECT_EQ(failed.front().message, "timeout");
    EXPECT_EQ(failed.front().reason, "retry");
    EXPECT_EQ(failed.front().attempt, 1);
    EXPECT_EQ(failed.front().retries, 2);
    EXPECT_EQ(failed.front().details, "") << "a list is without them";
    EXPECT_EQ(history_.log_line(failed.front().id).value().details, "at send()");
    EXPECT_EQ(history_.log_line("nobody"), std::nullopt);
    EXPECT_EQ(history_.log({}, failed.front().id).front().event, JobEvent::created);
    EXPECT_THAT(history_.log({.before = failed.front().time - 1h}), IsEmpty());
    EXPECT_EQ(name_of(JobEvent::interrupted), "interrupted");
}

TEST_F(PublicHistory, The_last_runs_are_told_though_their_jobs_are_gone) {
    engine_.start();
    engine_.enqueue({.handler_type = "mail", .process_instance_id = "order-17", .id = "a"});
    ASSERT_TRUE(eventually([&] { return !history_.finished_runs().empty(); }));
    EXPECT_THAT(
        history_.finished_runs({.handler_types = {"mail"}, .process_instance_ids = {"order-17"}}),
        ElementsAre(AllOf(
            Field(&FinishedRun::job, "a"),
            Field(&FinishedRun::attempt, 2),
            Field(&FinishedRun::message, "sent")
        ))
    );
    EXPECT_THAT(history_.finished_runs({.job = "b"}), IsEmpty());
    EXPECT_THAT(history_.finished_runs({}, history_.finished_runs().front().id), IsEmpty());
}

TEST_F(PublicHistory, A_run_under_way_tells_how_far_it_is) {
    Signal may_end;
    engine_.add_handler("export", [&](const JobContext& context) -> HandlerResult {
        context.progress(0.4, "page 4 of 10");
        context.log("opened\n");
        if (!may_end.wait_for(1)) {
            return Failed{.message = "nobody has let it end"};
        }
        return Succeeded{};
    });
    engine_.start();
    engine_.enqueue({.handler_type = "export", .id = "a"});
    std::optional<RunProgress> told;
    EXPECT_TRUE(eventually([&] {
        told = history_.progress("a");
        return told && told->progress == 0.4 && told->lines == "opened\n";
    }));
    EXPECT_EQ(told.value().note, "page 4 of 10");
    EXPECT_EQ(told.value().node, engine_.find("a").value().lock_owner);
    may_end.notify();
    EXPECT_TRUE(eventually([&] { return !engine_.find("a"); }));
    EXPECT_EQ(history_.progress("a"), std::nullopt);
}

}  // namespace

}  // namespace jobstrand::test
