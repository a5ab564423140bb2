use std::sync::atomic::{AtomicU8, AtomicUsize, Ordering::Relaxed};

/// Counts how often each job has run.
#[derive(Debug)]
pub struct Ledger {
    runs: Vec<AtomicU8>,
    ran_once: AtomicUsize,
    strangers: AtomicUsize,
}

impl Ledger {
    pub fn new(jobs: usize) -> Self {
        let runs = (0..jobs).map(|_| AtomicU8::new(0)).collect();
        Self { runs, ran_once: AtomicUsize::new(0), strangers: AtomicUsize::new(0) }
    }

    pub fn succeeded(&self, number: usize) {
        match self.runs.get(number) {
            None => self.strangers.fetch_add(1, Relaxed),
            Some(runs) if runs.fetch_add(1, Relaxed) == 0 => self.ran_once.fetch_add(1, Relaxed),
            Some(_) => 0,
        };
    }

    /// How many jobs have run at least once.
    pub fn count(&self) -> usize {
        self.ran_once.load(Relaxed)
    }

    /// What is wrong; empty when every job ran exactly once.
    pub fn mistakes(&self) -> String {
        let never = self.runs.iter().filter(|runs| runs.load(Relaxed) == 0).count();
        let again = self.runs.iter().filter(|runs| runs.load(Relaxed) > 1).count();
        let strangers = self.strangers.load(Relaxed);
        if never + again + strangers == 0 {
            return String::new();
        }
        format!("{never} jobs never succeeded, {again} more than once, {strangers} are unknown")
    }
}
