# frozen_string_literal: true

Gem::Specification.new do |spec|
  spec.name = "jobstrand"
  spec.version = "0.1.0"
  spec.summary = "Enqueue background jobs in Jobstrand, and work on them"
  spec.authors = ["The Jobstrand authors"]
  spec.license = "Apache-2.0"
  spec.homepage = "https://jobstrand.invalid"
  spec.metadata = { "rubygems_mfa_required" => "true" }
  spec.required_ruby_version = ">= 3.0"
  spec.files = Dir.chdir(__dir__) { Dir["lib/**/*.rb", "README.md"] }
end
