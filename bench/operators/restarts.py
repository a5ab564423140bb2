#!/usr/bin/env python3
"""How long a service needs to start and to stop beside many rows. Nothing runs it by itself: it takes minutes.

Usage: restarts.py JOBSTRAND postgresql|mariadb [--dead N] [--timers N] [--executable N] [--series N] [--times N]

Of each start it takes the time until the line `ready`, and until a job has run that was there before; of each stop the time from SIGTERM to the end, while
the service holds 4,096 jobs and runs as many as it has workers, each of them for a tenth of a second. Prints medians and the longest.
"""
import argparse
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / 'test/page'))
import many_rows  # pylint: disable=wrong-import-position

HELD = 4096
UNTIL_HELD_S = 2
CONFIGURATION = '''
[commands.pause]
program = "/bin/sleep"
args = ["0.1"]
[commands.tell]
program = "/usr/bin/touch"
args = ["{told}"]
'''


class Restarts:
    def __init__(self, jobstrand, env, folder):
        self.jobstrand, self.env = jobstrand, env
        self.told, self.jobs, self.configuration = (Path(folder) / name for name in ('told', 'jobs.jsonl', 'jobstrand.toml'))
        self.configuration.write_text(CONFIGURATION.format(told=self.told), encoding='utf-8')

    def run(self, *words):
        subprocess.run([self.jobstrand, *words], env=self.env, check=True, stdout=subprocess.DEVNULL)

    def add(self, count, command):
        self.jobs.write_text(f'{{"handlerType": "command", "payload": {{"command": "{command}"}}}}\n' * count, encoding='utf-8')
        self.run('job', 'add', '--from', self.jobs)

    def start(self):
        """The process, when it began, and how long it took until it said that it is ready."""
        began = time.monotonic()
        process = subprocess.Popen([self.jobstrand, 'serve', '--config', self.configuration], env=self.env, stderr=subprocess.PIPE)
        next(line for line in process.stderr if many_rows.LOG_READY in line)
        return process, began, time.monotonic() - began

    @staticmethod
    def stop(process):
        began = time.monotonic()
        process.terminate()
        process.communicate(timeout=many_rows.databases.PATIENCE_S)
        return time.monotonic() - began

    def first_job(self):
        """Seconds until it is ready, and until the job has run."""
        self.told.unlink(missing_ok=True)
        self.add(1, 'tell')
        process, began, ready = self.start()
        while not self.told.exists():
            time.sleep(0.001)
        ran = time.monotonic() - began
        self.stop(process)
        return ready, ran

    def stop_of_many(self):
        """Seconds; what it held is as it was for the next time."""
        process, _, _ = self.start()
        time.sleep(UNTIL_HELD_S)
        return self.stop(process)


def tell(what, seconds):
    print(f'{what:40} median {statistics.median(seconds) * 1000:7.1f} ms   longest {max(seconds) * 1000:7.1f} ms', flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument('jobstrand', type=Path)
    parser.add_argument('database', choices=many_rows.WORDS)
    many_rows.add_options(parser)
    parser.add_argument('--times', type=int, default=10)
    given = parser.parse_args()
    given.jobstrand = given.jobstrand.resolve()
    with many_rows.filled(given) as (env, _), tempfile.TemporaryDirectory() as folder:
        restarts = Restarts(given.jobstrand, env, folder)
        ready, ran = zip(*(restarts.first_job() for _ in range(given.times)))
        tell('start until ready', ready)
        tell('start until a job has run', ran)
        restarts.add(2 * HELD, 'pause')
        tell('stop while it holds 4,096 jobs', [restarts.stop_of_many() for _ in range(given.times)])


main()
