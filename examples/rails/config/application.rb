require "action_controller/railtie"
require "active_job/railtie"
require "active_record/railtie"
require "jobstrand" # As Bundler.require does it.

class Shop < Rails::Application
  config.load_defaults 6.1
  config.active_job.queue_adapter = :jobstrand
  config.eager_load = Rails.env.production?
  config.logger = Logger.new($stderr)
  config.secret_key_base = ENV.fetch("SECRET_KEY_BASE", "of this example alone")
end
