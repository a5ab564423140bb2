use std::time::Duration;

pub const USAGE: &str = "--db postgresql://... [--jobs N] [--warm-up N] [--repeat N] [--time-limit SECONDS] \
                         [--workers N] [--page N] [--batch-delay MILLISECONDS]";

/// The command line: `--name value` pairs.
pub struct Options {
    pub db: String,
    pub jobs: usize,
    pub warm_up: usize,
    pub repeat: usize,
    pub time_limit: Duration,
    /// Jobs at a time, and places of the local queue.
    pub workers: usize,
    pub page: usize,
    /// How long a completion waits for others.
    pub batch_delay: Duration,
}

impl Options {
    pub fn read(mut arguments: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut read = Self {
            db: String::new(),
            jobs: 100_000,
            warm_up: 10_000,
            repeat: 3,
            time_limit: Duration::from_secs(120),
            workers: 24,
            page: 2_000,
            batch_delay: Duration::ZERO,
        };
        while let Some(name) = arguments.next() {
            let value = arguments.next().ok_or(format!("{name} needs a value"))?;
            match name.as_str() {
                "--db" => read.db = value,
                "--jobs" => read.jobs = whole(&name, &value)?,
                "--warm-up" => read.warm_up = whole(&name, &value)?,
                "--repeat" => read.repeat = whole(&name, &value)?,
                "--time-limit" => read.time_limit = Duration::from_secs(whole(&name, &value)? as u64),
                "--workers" => read.workers = whole(&name, &value)?,
                "--page" => read.page = whole(&name, &value)?,
                "--batch-delay" => read.batch_delay = Duration::from_millis(whole(&name, &value)? as u64),
                _ => return Err(format!("there is no option {name}")),
            }
        }
        if read.db.is_empty() || [read.jobs, read.repeat, read.workers, read.page].contains(&0) {
            return Err("--db, at least one job, repetition, worker and place are needed".into());
        }
        Ok(read)
    }
}

fn whole(name: &str, value: &str) -> Result<usize, String> {
    value.parse().map_err(|_| format!("{name} needs a whole number"))
}
