#include "tools/program/demo_jobs.hpp"

#include <fmt/format.h>

#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

namespace {

using namespace std::chrono_literals;
using executor::HandlerResult;
using executor::JobContext;

/// A way to fail, of so many in a thousand runs.
struct DemoFailure {
    int of_thousand;
    std::string_view message;
    bool is_retryable = true;
};

struct DemoType {
    std::string_view name;
    std::chrono::milliseconds least;
    std::chrono::milliseconds most;
    std::vector<DemoFailure> failures = {};
    std::string_view details = {};
};

[[nodiscard]] const std::vector<DemoType>& demo_types() {
    static const std::vector<DemoType> all{
        {"send-mail",
         20ms,
         180ms,
         {{25, "SmtpError: 451 4.7.1 try again later"},
          {4, "AddressError: no such mailbox \"bo@exmaple.org\"", false}},
         "Traceback (most recent call last):\n  File \"mail.py\", line 41, in send\n    "
         "smtp.sendmail(sender, to, text)\nSmtpError: 451 4.7.1 try again later"},
        {"charge-card",
         150ms,
         700ms,
         {{15, "CardDeclined: insufficient funds", false},
          {20, "Timeout: no answer from pay.example in 10 s"}},
         "com.shop.pay.CardDeclined: insufficient funds\n\tat com.shop.pay.Charge.run("
         "Charge.java:88)\n\tat com.shop.jobs.Worker.call(Worker.java:31)"},
        {"resize-image", 60ms, 400ms, {{8, "OutOfMemory: image of 21000 x 14000 pixels", false}}},
        {"update-search", 5ms, 25ms},
        {"sync-crm", 100ms, 300ms, {{90, "HTTP 503: crm.example is being maintained"}}},
        {"import-order",
         1ms,
         4ms,
         {{400, "KeyError: 'address'", false},
          {300, "ValueError: invalid literal for int(): '12,50'", false},
          {150, "HTTP 404: no such article", false}},
         "Traceback (most recent call last):\n  File \"imports.py\", line 112, in run\n    "
         "street = row['address']\nKeyError: 'address'"},
        {"nightly-report", 4s, 9s, {{50, "KeyError: 'region'"}}},
    };
    return all;
}

[[nodiscard]] std::minstd_rand seeded_by(std::string_view text) {
    return std::minstd_rand(static_cast<unsigned>(std::hash<std::string_view>{}(text)));
}

/// false: the run is to stop.
[[nodiscard]] bool take_time(const JobContext& context, std::chrono::milliseconds time) {
    std::mutex mutex;
    std::condition_variable_any stopped;
    std::unique_lock lock(mutex);
    return !stopped.wait_for(lock, context.stop, time, [] { return false; }) &&
           !context.stop.stop_requested();
}

[[nodiscard]] HandlerResult run_demo_job(const DemoType& type, const JobContext& context) {
    // The same job does the same in each attempt of the same number.
    auto random = seeded_by(context.job.id + std::to_string(context.attempt));
    std::uniform_int_distribution<std::int64_t> time(type.least.count(), type.most.count());
    if (!take_time(context, std::chrono::milliseconds(time(random)))) {
        return executor::Interrupted{};
    }
    int chance = std::uniform_int_distribution<int>(1, 1000)(random);
    for (const DemoFailure& failure : type.failures) {
        chance -= failure.of_thousand;
        if (chance <= 0) {
            return executor::Failed{
                .message = std::string(failure.message),
                .details = std::string(type.details),
                .retryable = failure.is_retryable};
        }
    }
    return executor::Succeeded{};
}

[[nodiscard]] schema::Job demo_job(std::string_view type, std::string payload) {
    schema::Job job;
    job.handler_type = type;
    job.payload = std::move(payload);
    job.retry_cycle = "R3/PT15S";
    job.exclusive = false;
    return job;
}

constexpr std::string_view kTenants[] = {"acme", "globex", "initech"};

/// What is in the shop's mail, money and search for one order.
[[nodiscard]] std::vector<schema::Job> jobs_of_order(int order) {
    const std::string_view tenant = kTenants[static_cast<std::size_t>(order) % std::size(kTenants)];
    std::vector<schema::Job> jobs{
        demo_job("charge-card", fmt::format(R"({{"order":{},"cents":{}}})", order, order % 9900)),
        demo_job(
            "send-mail",
            fmt::format(
                R"({{"order":{0},"to":"customer{0}@example.org","template":"thanks"}})", order
            )
        ),
        demo_job("update-search", fmt::format(R"({{"order":{}}})", order)),
    };
    if (order % 4 == 0) {
        jobs.push_back(demo_job("resize-image", fmt::format(R"({{"image":"{}.png"}})", order)));
    }
    if (order % 3 == 0) {
        jobs.push_back(demo_job("sync-crm", fmt::format(R"({{"customer":{}}})", order)));
    }
    for (schema::Job& job : jobs) {
        job.tenant_id = tenant;
        job.process_instance_id = fmt::format("order-{}", order);
    }
    return jobs;
}

void start_demo_series(engine::Wiring& engine) {
    const auto start = [&engine](schema::Series series, std::string_view type) {
        schema::Job turn = demo_job(type, "{}");
        turn.retry_cycle.clear();
        engine.start_series(std::move(series), std::move(turn));
    };
    start(
        {.key = "report.daily",
         .group = "reports",
         .description = "Yesterday's numbers, before the office opens",
         .repeat = "0 30 2 ? * MON-FRI",
         .zone = "Europe/Berlin"},
        "nightly-report"
    );
    start({.key = "crm.sync", .repeat = "0/20 * * * * ?"}, "sync-crm");
    start(
        {.key = "report.month",
         .group = "reports",
         .repeat = "0 0 6 L * ?",
         .zone = "America/New_York"},
        "nightly-report"
    );
    start({.key = "search.warm", .repeat = "R/PT30S"}, "update-search");
}

}  // namespace

void add_demo_handlers(executor::HandlerRegistry& handlers) {
    for (const DemoType& type : demo_types()) {
        handlers.add(std::string(type.name), [&type](const JobContext& context) {
            return run_demo_job(type, context);
        });
    }
}

void fill_demo(engine::Wiring& engine) {
    start_demo_series(engine);
    engine.limit_store().set_limit(
        {.kind = schema::LimitKind::type, .value = "charge-card", .concurrent = 3}
    );
    std::vector<schema::Job> jobs;
    const schema::TimePoint now = engine.clock().now();
    for (int i = 0; i < 300; ++i) {
        schema::Job reminder = demo_job("send-mail", fmt::format(R"({{"reminder":{}}})", i));
        reminder.due_date = now + 1min * (5 + i * 7);
        jobs.push_back(std::move(reminder));
    }
    for (int i = 0; i < 40; ++i) {
        jobs.push_back(demo_job("print-label", fmt::format(R"({{"parcel":{}}})", i)));
    }
    for (int i = 0; i < 120; ++i) {
        jobs.push_back(demo_job("import-order", fmt::format(R"({{"file":"may.csv","row":{}}})", i))
        );
    }
    engine.enqueue_all(std::move(jobs));
}

void add_demo_orders(engine::Wiring& engine, std::minstd_rand& random) {
    const int orders = std::uniform_int_distribution<int>(0, 6)(random);
    for (int i = 0; i < orders; ++i) {
        engine.enqueue_all(jobs_of_order(std::uniform_int_distribution<int>(1000, 99'999)(random)));
    }
}

}  // namespace jobstrand::cli
