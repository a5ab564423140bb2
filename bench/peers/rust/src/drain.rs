use crate::ledger::Ledger;
use crate::machine;
use crate::options::Options;
use crate::peer::{Outcome, Peer};
use crate::result::{Checks, Result, Run};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::time::sleep;

const WATCH_INTERVAL: Duration = Duration::from_millis(2);

pub async fn measure(options: &Options) -> Outcome<Result> {
    let peer = Peer::open(options).await?;
    let mut result = Result::new(&peer, options).await?;
    if options.warm_up > 0 {
        drain(&peer, options, options.warm_up, &mut result.checks).await?;
    }
    let mut runs = Vec::new();
    while runs.len() < options.repeat && result.checks.ended.is_empty() {
        let run = drain(&peer, options, options.jobs, &mut result.checks).await?;
        eprintln!("graphile_worker: {:.0} jobs/s", run.drain);
        runs.push(run);
    }
    result.finish(&runs);
    Ok(result)
}

/// The clock runs from the start of the worker to the moment when the table is empty.
async fn drain(peer: &Peer, options: &Options, jobs: usize, checks: &mut Checks) -> Outcome<Run> {
    let ledger = Arc::new(Ledger::new(jobs));
    let enqueue_began = Instant::now();
    peer.enqueue(jobs).await?;
    let enqueue_seconds = enqueue_began.elapsed().as_secs_f64();
    peer.refresh_statistics().await?;
    let (began, cpu_before) = (Instant::now(), machine::cpu_time());
    let worker = peer.worker(options, ledger.clone()).await?;
    let running = tokio::spawn({
        let worker = worker.clone();
        async move { worker.run().await }
    });
    let is_over = wait_for_end(peer, &ledger, jobs, began + options.time_limit).await?;
    let (seconds, cpu) = (began.elapsed().as_secs_f64(), machine::cpu_time() - cpu_before);
    worker.request_shutdown();
    running.await??;
    let late = format!("{} of {jobs} jobs succeeded in time", ledger.count());
    checks.note(if is_over { "" } else { &late }, &ledger.mistakes(), peer.is_empty().await?);
    Ok(Run {
        drain: jobs as f64 / seconds,
        enqueue: jobs as f64 / enqueue_seconds,
        cpu_micros: cpu.as_secs_f64() * 1e6 / jobs as f64,
    })
}

async fn wait_for_end(peer: &Peer, ledger: &Ledger, jobs: usize, give_up: Instant) -> Outcome<bool> {
    while Instant::now() < give_up {
        if ledger.count() >= jobs && peer.is_empty().await? {
            return Ok(true);
        }
        sleep(WATCH_INTERVAL).await;
    }
    Ok(false)
}
