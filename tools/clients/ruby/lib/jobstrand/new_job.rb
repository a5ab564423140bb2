# frozen_string_literal: true

require "did_you_mean"
require "json"
require "time"

module Jobstrand
  # A job to be enqueued: its handler type, a payload that JSON can say, and options. Durations are
  # seconds.
  class NewJob
    # Of each option the name in which the service reads it.
    OPTIONS = {
      id: "id", # Of the app's own, up to 64 characters; one that is taken is refused.
      due: "dueDate", # A Time, when it runs at the earliest; over HTTP also words.
      delay: "dueDate", # The same, from now.
      repeat: "repeat", # Such as "R/PT1H".
      retries: "retries", # Attempts, the first one included.
      retry_cycle: "retryCycle", # Such as "R5/PT1M".
      priority: "priority",
      external: "external", # For workers such as this one.
      exclusive: "exclusive", # False: it may run beside others of its process instance.
      process_instance_id: "processInstanceId",
      process_definition_id: "processDefinitionId",
      category: "category",
      tenant_id: "tenantId",
      correlation_id: "correlationId",
      traceparent: "traceparent", # Of W3C Trace Context: the trace that it belongs to.
      unique_key: "uniqueKey", # While a job with it is open, no other is added.
      unique_for: "uniqueFor", # The key is held for so long instead.
      on_duplicate: "onDuplicate" # :reject, :keep or :replace, when the key is held.
    }.freeze

    attr_reader :handler_type, :payload, :options

    def initialize(handler_type, payload = nil, **options)
      options.each_key { |name| refuse_unknown(name) unless OPTIONS.key?(name) }
      @handler_type = handler_type
      @payload = payload
      @options = options.compact
      check
    end

    def [](name)
      @options[name]
    end

    # As the service reads it.
    def to_h
      said = @options.to_h { |name, value| [OPTIONS[name], told(name, value)] }
      said["payload"] = @payload unless @payload.nil?
      { "handlerType" => @handler_type, **said }
    end

    # ISO 8601, to the millisecond; what is shorter is one.
    def self.duration(seconds)
      milliseconds = (seconds * 1000).to_i
      milliseconds = 1 if milliseconds.zero? && seconds.positive?
      format("PT%d.%03dS", *milliseconds.divmod(1000))
    end

    private

    def told(name, value)
      case name
      when :delay, :unique_for then NewJob.duration(value)
      when :due then value.respond_to?(:getutc) ? value.getutc.iso8601(3) : value
      else value
      end
    end

    def check
      raise ArgumentError, "a job needs a handler type" if @handler_type.to_s.empty?
      raise ArgumentError, "a job has one of due and delay" if self[:due] && self[:delay]

      %i[delay unique_for].each do |name|
        raise ArgumentError, "#{name} must not be negative" if self[name]&.negative?
      end
      return if [nil, "reject", "keep", "replace"].include?(self[:on_duplicate]&.to_s)

      raise ArgumentError, "on_duplicate is reject, keep or replace, not #{self[:on_duplicate]}"
    end

    def refuse_unknown(name)
      near = DidYouMean::SpellChecker.new(dictionary: OPTIONS.keys).correct(name).first
      raise ArgumentError, "a job has no '#{name}'" + (near ? "; did you mean '#{near}'?" : "")
    end
  end
end
