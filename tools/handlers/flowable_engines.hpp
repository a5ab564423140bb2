#pragma once

#include "schema/log.hpp"
#include "tools/calls/call_messages.hpp"
#include "tools/calls/call_pool.hpp"
#include "tools/settings/settings.hpp"
#include "tools/text/http_address.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <stop_token>
#include <string>
#include <string_view>
#include <vector>

namespace jobstrand::cli {

// What is said to the REST application of a Flowable engine, and what its answers mean.

/// The value of the header `authorization` (RFC 7617); empty: nobody is named.
[[nodiscard]] std::string basic_authorization(std::string_view user, std::string_view password);

/// `POST {base}/management/jobs/{id}` with the action `execute`: the engine runs the job now,
/// whoever has it locked, and writes what becomes of it before it answers.
[[nodiscard]] CallRequest
execute_request(const HttpUrl& base, const std::string& authorization, std::string_view job);

/// `GET {base}/management/engine`, which changes nothing.
[[nodiscard]] CallRequest look_request(const HttpUrl& base, const std::string& authorization);

/// Whether the engine has said that the job is done.
[[nodiscard]] bool is_done(const CallAnswer& answer);

/// Why the engine is not to be called for now, in words; empty: it is well. What a job's failure is
/// answered with says nothing about the engine.
[[nodiscard]] std::string trouble_in(const CallAnswer& answer);

/// The Flowable engines of one list. Each is looked at once a second while it does not answer, and
/// now and then while it does; the log tells of each change. A job goes to the engine that answers
/// and has the fewest.
///
/// Thread safety: execute() is safe; the rest happens on the thread of the context, which must
/// outlive it.
class EnginePool final : public std::enable_shared_from_this<EnginePool> {
public:
    /// Throws std::runtime_error for a file that cannot be read.
    EnginePool(boost::asio::io_context& io, schema::Log& log, const FlowableSettings& settings);

    /// Has an engine run the job. `done` is called once, on the thread of the context. While no
    /// engine answers it waits for one; `stop` ends that, and the call as well.
    void execute(std::string job, std::stop_token stop, CallPool::Done done);

private:
    struct Engine {
        std::shared_ptr<CallPool> calls;
        std::size_t under_way = 0;
        bool is_well = false;
        bool is_known = false;  ///< It has been looked at.
        std::unique_ptr<boost::asio::steady_timer> next_look = {};
    };

    /// A job on its way to an engine.
    struct Errand {
        std::string job;
        std::stop_token stop;
        CallPool::Done done;
    };

    void watch();
    void look_at(Engine& engine);
    void look_later(Engine& engine);
    void note(Engine& engine, const std::string& trouble);
    [[nodiscard]] Engine* best();
    void dispatch(const std::shared_ptr<Errand>& errand);
    void wait_for_engine(const std::shared_ptr<Errand>& errand);
    void send(Engine& engine, const std::shared_ptr<Errand>& errand);

    // Constant after construction.
    boost::asio::io_context& io_;
    schema::Log& log_;
    const std::string authorization_;
    const schema::Duration time_limit_;

    // Touched only on the thread of the context.
    std::vector<Engine> engines_;
    bool is_watching_ = false;
};

}  // namespace jobstrand::cli
