//! Tells the program which compiler made it and which version of the measured crate is in Cargo.lock.
use std::process::Command;
use std::{env, fs};

fn main() {
    let compiler = env::var("RUSTC").expect("cargo says which compiler it runs");
    let said = Command::new(compiler).arg("--version").output().expect("the compiler tells its version").stdout;
    let version = String::from_utf8_lossy(&said).split_whitespace().take(2).collect::<Vec<_>>().join(" ");
    println!("cargo:rustc-env=RUSTC_VERSION={version}");
    let lock = fs::read_to_string("Cargo.lock").expect("Cargo.lock is part of the sources");
    let mut lines = lock.lines().skip_while(|line| *line != "name = \"graphile_worker\"");
    let pinned = lines.nth(1).and_then(|line| line.split('"').nth(1)).expect("Cargo.lock names the crate");
    println!("cargo:rustc-env=PEER_VERSION={pinned}");
    println!("cargo:rerun-if-changed=Cargo.lock");
}
