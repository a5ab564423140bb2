//! What the result says of the machine, and the CPU time that this process has used.
use std::fs;
use std::time::Duration;

/// What follows the colon in the first line that begins with a word, the whole line without one.
pub fn line_of(path: &str, word: &str) -> String {
    let content = fs::read_to_string(path).unwrap_or_default();
    let line = content.lines().find(|line| line.starts_with(word)).unwrap_or_default();
    line.rsplit(':').next().unwrap_or_default().trim().to_owned()
}

pub fn cpus() -> usize {
    std::thread::available_parallelism().map_or(0, usize::from)
}

pub fn cpu_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the call writes to the struct that it is given, which outlives it.
    unsafe { libc::clock_gettime(libc::CLOCK_PROCESS_CPUTIME_ID, &mut time) };
    Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
}
