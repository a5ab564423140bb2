//! The JSON that bench/README.md describes.
use crate::machine;
use crate::options::Options;
use crate::peer::{Outcome, Peer, CONNECTIONS, ENQUEUE_BATCH, POLL_INTERVAL};
use chrono::{SecondsFormat, Utc};
use serde_json::{json, Value};

/// One repetition: jobs per second twice, and microseconds.
pub struct Run {
    pub drain: f64,
    pub enqueue: f64,
    pub cpu_micros: f64,
}

/// The first problem of each check; empty: none.
#[derive(Default)]
pub struct Checks {
    pub ended: String,
    once: String,
    empty: String,
}

pub struct Result {
    pub json: Value,
    pub passed: bool,
    pub checks: Checks,
}

impl Checks {
    pub fn note(&mut self, late: &str, mistakes: &str, is_empty: bool) {
        let left = if is_empty { "" } else { "jobs are left" };
        for (known, now) in [(&mut self.ended, late), (&mut self.once, mistakes), (&mut self.empty, left)] {
            if known.is_empty() {
                known.push_str(now);
            }
        }
    }
}

impl Result {
    pub async fn new(peer: &Peer, options: &Options) -> Outcome<Self> {
        let json = json!({
            "format": "jobstrand-bench/1",
            "scenario": "drain",
            "startedAt": Utc::now().to_rfc3339_opts(SecondsFormat::Millis, true),
            "environment": {
                "program": concat!("graphile_worker ", env!("PEER_VERSION")),
                "compiler": env!("RUSTC_VERSION"),
                "cpu": machine::line_of("/proc/cpuinfo", "model name"),
                "cpus": machine::cpus().to_string(),
                "memory": machine::line_of("/proc/meminfo", "MemTotal"),
                "system": format!("Linux {}", machine::line_of("/proc/sys/kernel/osrelease", "")),
                "database": format!("PostgreSQL {}", peer.setting("server_version").await?),
                "durability": format!("fsync={}, synchronous_commit={}", peer.setting("fsync").await?,
                                      peer.setting("synchronous_commit").await?),
                "url": without_password(&options.db),
            },
            "settings": {
                "jobs": options.jobs.to_string(),
                "workers": options.workers.to_string(),
                "page": options.page.to_string(),
                "nodes": "1",
                "warmUp": options.warm_up.to_string(),
                "repeat": options.repeat.to_string(),
                "completeJobBatchDelay": format!("{}ms", options.batch_delay.as_millis()),
                "pollInterval": format!("{}ms", POLL_INTERVAL.as_millis()),
                "maxPoolSize": CONNECTIONS.to_string(),
                "enqueueBatch": ENQUEUE_BATCH.to_string(),
            },
            "latencies": [],
            "series": [],
        });
        Ok(Self { json, passed: false, checks: Checks::default() })
    }

    pub fn finish(&mut self, runs: &[Run]) {
        let problems = [
            ("the jobs ended within the time limit", &self.checks.ended),
            ("every job succeeded exactly once", &self.checks.once),
            ("the tables are empty at the end", &self.checks.empty),
        ];
        self.passed = problems.iter().all(|(_, problem)| problem.is_empty());
        self.json["passed"] = json!(self.passed);
        self.json["checks"] = problems
            .iter()
            .map(|(name, problem)| json!({"name": name, "passed": problem.is_empty(), "problem": problem}))
            .collect();
        self.json["figures"] = json!([
            figure("drain", "jobs/s", runs.iter().map(|run| run.drain).collect()),
            figure("enqueue", "jobs/s", runs.iter().map(|run| run.enqueue).collect()),
            figure("CPU time per job", "us", runs.iter().map(|run| run.cpu_micros).collect()),
        ]);
    }
}

fn figure(name: &str, unit: &str, values: Vec<f64>) -> Value {
    let mut sorted = values.clone();
    sorted.sort_by(f64::total_cmp);
    let at = |place: usize| sorted.get(place).copied().unwrap_or_default();
    let count = sorted.len();
    let median = (at(count.saturating_sub(1) / 2) + at(count / 2)) / 2.0;
    json!({"name": name, "unit": unit, "values": values, "median": median, "min": at(0),
           "max": at(count.saturating_sub(1)), "ceiling": null, "ratio": null})
}

fn without_password(url: &str) -> String {
    match (url.split_once("://"), url.rsplit_once('@')) {
        (Some((scheme, rest)), Some((_, host))) if rest.contains('@') => {
            format!("{scheme}://{}:***@{host}", rest.split([':', '@']).next().unwrap_or_default())
        }
        _ => url.to_owned(),
    }
}
