use crate::ledger::Ledger;
use crate::options::Options;
use graphile_worker::{
    IntoTaskHandlerResult, JobSpec, LocalQueueConfig, RawJobSpec, TaskHandler, Worker, WorkerContext, WorkerOptions,
    WorkerUtils,
};
use serde::{Deserialize, Serialize};
use sqlx::postgres::PgPoolOptions;
use sqlx::{PgPool, Row};
use std::error::Error;
use std::sync::Arc;
use std::time::Duration;

pub type Outcome<T> = Result<T, Box<dyn Error + Send + Sync>>;

pub const CONNECTIONS: u32 = 20;
pub const ENQUEUE_BATCH: usize = 10_000;
pub const POLL_INTERVAL: Duration = Duration::from_millis(5);

#[derive(Deserialize, Serialize)]
struct Noop {
    number: usize,
}

#[derive(Clone, Debug)]
struct Runs(Arc<Ledger>);

impl TaskHandler for Noop {
    const IDENTIFIER: &'static str = "noop";

    async fn run(self, context: WorkerContext) -> impl IntoTaskHandlerResult {
        let runs = context.get_ext::<Runs>().ok_or("there is no ledger")?;
        runs.0.succeeded(self.number);
        Ok::<(), &'static str>(())
    }
}

/// The measured crate with its tables in an empty database.
pub struct Peer {
    pool: PgPool,
    utils: WorkerUtils,
}

impl Peer {
    pub async fn open(options: &Options) -> Outcome<Self> {
        let pool = PgPoolOptions::new().max_connections(CONNECTIONS).connect(&options.db).await?;
        let utils = WorkerUtils::new(pool.clone(), "graphile_worker");
        utils.migrate().await?;
        Ok(Self { pool, utils })
    }

    pub async fn enqueue(&self, jobs: usize) -> Outcome<()> {
        let all: Vec<RawJobSpec> = (0..jobs)
            .map(|number| RawJobSpec {
                identifier: Noop::IDENTIFIER.into(),
                payload: serde_json::json!(Noop { number }),
                spec: JobSpec::default(),
            })
            .collect();
        for batch in all.chunks(ENQUEUE_BATCH) {
            self.utils.add_raw_jobs(batch).await?;
        }
        Ok(())
    }

    /// The server would do it by itself before long; what it has not done yet can spoil its plans.
    pub async fn refresh_statistics(&self) -> Outcome<()> {
        sqlx::query("VACUUM (ANALYZE) graphile_worker._private_jobs").execute(&self.pool).await?;
        Ok(())
    }

    /// A worker that has not begun.
    pub async fn worker(&self, options: &Options, runs: Arc<Ledger>) -> Outcome<Arc<Worker>> {
        let worker = WorkerOptions::default()
            .pg_pool(self.pool.clone())
            .concurrency(options.workers)
            .poll_interval(POLL_INTERVAL)
            .complete_job_batch_delay(options.batch_delay)
            .fail_job_batch_delay(options.batch_delay)
            .local_queue(LocalQueueConfig::default().with_size(options.page))
            .add_extension(Runs(runs))
            .define_job::<Noop>()
            .init()
            .await?;
        Ok(Arc::new(worker))
    }

    pub async fn is_empty(&self) -> Outcome<bool> {
        let left =
            sqlx::query("SELECT 1 FROM graphile_worker._private_jobs LIMIT 1").fetch_optional(&self.pool).await?;
        Ok(left.is_none())
    }

    pub async fn setting(&self, name: &str) -> Outcome<String> {
        Ok(sqlx::query("SELECT current_setting($1)").bind(name).fetch_one(&self.pool).await?.try_get(0)?)
    }
}
