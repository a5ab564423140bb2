#include "tools/process/boost_log.hpp"

#include "schema/clock.hpp"

#include <boost/core/null_deleter.hpp>
#include <boost/log/attributes/attribute_value_impl.hpp>
#include <boost/log/attributes/constant.hpp>
#include <boost/log/attributes/value_extraction.hpp>
#include <boost/log/attributes/value_visitation.hpp>
#include <boost/log/core.hpp>
#include <boost/log/expressions/message.hpp>
#include <boost/log/sinks/sync_frontend.hpp>
#include <boost/log/sinks/text_ostream_backend.hpp>
#include <boost/log/sources/record_ostream.hpp>
#include <boost/log/sources/severity_logger.hpp>
#include <boost/log/utility/formatting_ostream.hpp>
#include <boost/smart_ptr/make_shared_object.hpp>

#include <ostream>
#include <vector>

namespace jobstrand::cli {

namespace {

namespace log = boost::log;

using Backend = log::sinks::text_ostream_backend;
using Frontend = log::sinks::synchronous_sink<Backend>;
using LogFields = std::vector<LogField>;

// Names of the attributes that a record carries beside its message and severity.
constexpr const char* kTime = "Time";
constexpr const char* kFields = "LogFields";
constexpr const char* kOwner = "Owner";

void format_record(const log::record_view& record, log::formatting_ostream& out, LogFormat format) {
    const auto message = record[log::expressions::smessage];
    const auto fields = log::extract<LogFields>(kFields, record);
    const LogLine line{
        .level =
            log::extract_or_default<schema::LogLevel>("Severity", record, schema::LogLevel::info),
        .message = message ? std::string_view(*message) : std::string_view{},
        .fields = fields ? std::span<const LogField>(*fields) : std::span<const LogField>{},
    };
    out << format_line(
        line,
        log::extract_or_default<schema::TimePoint>(kTime, record, schema::machine_clock().now()),
        format
    );
}

}  // namespace

/// One sink and one logger. The core of Boost.Log is one per process, so every record says whose it
/// is, and every sink takes its own only.
class BoostLog::Sink {
public:
    Sink(std::ostream& out, LogFormat format) : frontend_(boost::make_shared<Frontend>()) {
        frontend_->locked_backend()->add_stream(
            boost::shared_ptr<std::ostream>(&out, boost::null_deleter())
        );
        frontend_->locked_backend()->auto_flush(true);
        frontend_->set_filter([this](const log::attribute_value_set& values) {
            return log::extract_or_default<const Sink*>(kOwner, values, nullptr) == this;
        });
        frontend_->set_formatter([format](
                                     const log::record_view& record, log::formatting_ostream& stream
                                 ) { format_record(record, stream, format); });
        logger_.add_attribute(kOwner, log::attributes::constant<const Sink*>(this));
        log::core::get()->add_sink(frontend_);
    }

    ~Sink() {
        log::core::get()->remove_sink(frontend_);
        frontend_->flush();
    }

    Sink(const Sink&) = delete;
    Sink& operator=(const Sink&) = delete;

    void write(schema::LogLevel level, std::string_view message, LogFields fields) {
        log::record record = logger_.open_record(log::keywords::severity = level);
        if (!record) {
            return;
        }
        record.attribute_values().insert(
            kTime, log::attributes::make_attribute_value(schema::machine_clock().now())
        );
        record.attribute_values().insert(
            kFields, log::attributes::make_attribute_value(std::move(fields))
        );
        log::record_ostream stream(record);
        stream.write(message.data(), static_cast<std::streamsize>(message.size()));
        stream.flush();
        logger_.push_record(std::move(record));
    }

private:
    boost::shared_ptr<Frontend> frontend_;
    log::sources::severity_logger_mt<schema::LogLevel> logger_;
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
        sink_->write(level, message, LogFields(fields.begin(), fields.end()));
    } catch (...) {
    }
}

}  // namespace jobstrand::cli
