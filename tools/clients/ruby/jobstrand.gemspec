# frozen_string_literal: true

Gem::Specification.new do |spec|
  spec.name = "jobstrand"
  spec.version = "0.1.0"
  spec.summary = "Enqueue background jobs in Jobstrand, and work on them"
  spec.description = "Background jobs in the transaction of your app, or over HTTP, and a worker. " \
                     "With an adapter for Active Job of Rails."
  spec.authors = ["The Jobstrand authors"]
  spec.license = "Apache-2.0"
  spec.homepage = "https://jobstrand.invalid"
  spec.metadata = {
    "documentation_uri" => "https://jobstrand.invalid/docs",
    "source_code_uri" => "https://jobstrand.invalid/source",
    "changelog_uri" => "https://jobstrand.invalid/changelog",
    "rubygems_mfa_required" => "true"
  }
  spec.required_ruby_version = ">= 3.0"
  spec.files = Dir.chdir(__dir__) { Dir["lib/**/*.rb", "README.md", "LICENSE"] }
end
