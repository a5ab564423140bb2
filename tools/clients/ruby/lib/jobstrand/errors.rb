# frozen_string_literal: true

module Jobstrand
  # What this package raises.
  class Error < StandardError; end

  # No answer came from the service. What was asked for may have been done all the same.
  class Unreachable < Error; end

  # A job that is to be replaced has begun to run, or has ended while its unique key goes on to
  # hold.
  class KeyHeld < Error; end

  # The answer of a service that said no.
  class Refused < Error
    attr_reader :status, :errors, :retry_after

    # Of the class that the status tells.
    def self.of(status, detail, errors, retry_after)
      kind = { 400 => Invalid, 413 => Invalid, 422 => Invalid, 401 => NotAllowed, 403 => NotAllowed,
               404 => NotFound, 409 => Conflict, 503 => Overloaded }.fetch(status, Refused)
      kind.new(status, detail, errors, retry_after)
    end

    def initialize(status, detail, errors, retry_after)
      super([detail, errors.join("; ")].reject(&:empty?).join(": "))
      @status = status
      @errors = errors
      @retry_after = retry_after
    end
  end

  # What was asked for cannot be meant so; nothing was changed.
  class Invalid < Refused; end

  # There was no token, or one that does not allow it.
  class NotAllowed < Refused; end

  # There is no such thing, or there is not any more.
  class NotFound < Refused; end

  # An id or a key is taken, or the thing is in a state that does not allow it.
  class Conflict < Refused; end

  # It was too much at once, or the database is away: ask again later.
  class Overloaded < Refused; end

  # Raised by a handler that wants to say how its failed attempt goes on: after how many seconds,
  # and how many attempts are left. Whatever else it raises fails the attempt too, as the job's
  # retry cycle says.
  class Fail < StandardError
    attr_reader :retry_after, :retries

    def initialize(message = nil, retry_after: nil, retries: nil)
      super(message)
      @retry_after = retry_after
      @retries = retries
    end
  end

  # Raised by a handler whose work is done, and ended in an error of this code, which is handed on
  # to the app.
  class BusinessError < StandardError
    attr_reader :code, :variables

    def initialize(code, message = nil, variables: {})
      super(message || code)
      @code = code
      @variables = variables
    end
  end
end
