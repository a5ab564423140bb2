#include "tools/process/boost_log.hpp"

#include "schema/clock.hpp"

#include <boost/core/null_deleter.hpp>
#include <boost/log/attributes/constant.hpp>
#include <boost/log/attributes/value_extraction.hpp>
#include <boost/log/core.hpp>
#include <boost/log/expressions/message.hpp>
#include <boost/log/sinks/sync_frontend.hpp>
#include <boost/log/sinks/text_ostream_backend.hpp>
#include <boost/log/sources/logger.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/log/utility/formatting_ostream.hpp>
#include <boost/smart_ptr/make_shared_object.hpp>

#include <ostream>
#include <vector>

namespace jobstrand::cli {

namespace {

namespace log = boost::log;

using Backend = log::sinks::text_ostream_backend;
using Frontend = log::sinks::synchronous_sink<Backend>;

/// The name of the attribute that says whose a record is.
constexpr const char* kOwner = "Owner";

}  // namespace

/// One sink and one logger. The core of Boost.Log is one per process, so every record says whose it
/// is, and every sink takes its own only.
class BoostLog::Sink {
public:
    Sink(std::ostream& out, LogFormat format)
        : format_(format), frontend_(boost::make_shared<Frontend>()) {
        frontend_->locked_backend()->add_stream(
            boost::shared_ptr<std::ostream>(&out, boost::null_deleter())
        );
        frontend_->locked_backend()->auto_flush(true);
        frontend_->set_filter([this](const log::attribute_value_set& values) {
            return log::extract_or_default<const Sink*>(kOwner, values, nullptr) == this;
        });
        frontend_->set_formatter([](const log::record_view& record, log::formatting_ostream& stream
                                 ) { stream << *record[log::expressions::smessage]; });
        logger_.add_attribute(kOwner, log::attributes::constant<const Sink*>(this));
        log::core::get()->add_sink(frontend_);
    }

    ~Sink() {
        log::core::get()->remove_sink(frontend_);
        frontend_->flush();
    }

    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    void write(const LogLine& line) {
        log::record record = logger_.open_record();
        if (!record) {
            return;
        }
        log::record_ostream stream(record);
        stream << format_line(line, schema::machine_clock().now(), format_);
        stream.flush();
        logger_.push_record(std::move(record));
    }

private:
    const LogFormat format_;
    boost::shared_ptr<Frontend> frontend_;
    log::sources::logger_mt logger_;
};

BoostLog::BoostLog(std::ostream& out, Settings settings)
    : level_(settings.level), sink_(std::make_unique<Sink>(out, settings.format)) {}

BoostLog::~BoostLog() = default;

bool BoostLog::enabled(schema::LogLevel level) const noexcept {
    return level >= level_;
}

void BoostLog::write(
    schema::LogLevel level,
    std::string_view message,
    std::initializer_list<schema::LogField> fields
) noexcept {
    if (!enabled(level)) {
        return;
    }
    // A line that cannot be written (no memory, a closed stream) must not stop the work it tells
    // of.
    try {
        const std::vector<LogField> shown(fields.begin(), fields.end());
        sink_->write({.level = level, .message = message, .fields = shown});
    } catch (...) {
    }
}

}  // namespace jobstrand::cli
