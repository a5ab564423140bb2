#!/usr/bin/env node
// The program `jobstrand`, where npm has installed its package for this platform.
import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { join, dirname } from "node:path";
import process from "node:process";

const PACKAGE = `jobstrand-${process.platform}-${process.arch}`;

function programPath() {
  try {
    return join(dirname(createRequire(import.meta.url).resolve(`${PACKAGE}/package.json`)), "bin", "jobstrand");
  } catch {
    process.stderr.write(`jobstrand: there is no program for this platform (${PACKAGE} is not installed); install it by itself, as a Debian package or an image\n`);
    return process.exit(1);
  }
}

const program = spawn(programPath(), process.argv.slice(2), { stdio: "inherit" });
program.on("error", (error) => {
  process.stderr.write(`jobstrand: ${error.message}\n`);
  process.exit(1);
});
program.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal]));
// What is sent to this process alone is meant for the program; a terminal sends to both by itself.
for (const signal of ["SIGTERM", "SIGHUP"]) {
  process.on(signal, () => program.kill(signal));
}
process.on("SIGINT", () => {});
