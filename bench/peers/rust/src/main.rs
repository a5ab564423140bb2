//! Measures how fast graphile_worker, the Rust crate, drains a prepared backlog of no-op jobs.
mod drain;
mod ledger;
mod machine;
mod options;
mod peer;
mod result;

use options::Options;
use std::process::ExitCode;

#[tokio::main]
async fn main() -> ExitCode {
    let options = match Options::read(std::env::args().skip(1)) {
        Ok(options) => options,
        Err(why) => {
            eprintln!("graphile_worker: {why}\nUsage:  {}", options::USAGE);
            return ExitCode::from(2);
        }
    };
    match drain::measure(&options).await {
        Ok(result) => {
            println!("{}", serde_json::to_string_pretty(&result.json).expect("a result is JSON"));
            ExitCode::from(u8::from(!result.passed))
        }
        Err(why) => {
            eprintln!("graphile_worker: {why}");
            ExitCode::FAILURE
        }
    }
}
