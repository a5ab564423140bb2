#!/usr/bin/env python3
"""Takes the pictures of docs/pictures anew: the page of `jobstrand demo`, after some minutes of its life.

Usage: pictures.py PATH_OF_JOBSTRAND [FOLDER [MINUTES [all]]]

Needs Debian's python3-selenium, chromium and chromium-driver. FOLDER is docs/pictures, MINUTES are 3. `all`: every view
with its parts, 1280 and 360 pixels wide, light and dark, to look at.
"""
import base64
import re
import signal
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

import browser

FOLDER = Path(__file__).resolve().parents[2] / 'docs/pictures'
# Name, view, width, theme.
PICTURES = (
    ('home', '?last=PT10M', 1280, 'light'),
    ('home-dark', '?last=PT10M', 1280, 'dark'),
    ('home-360', '?last=PT10M', 360, 'light'),
    ('dead-letters', 'dead', 1280, 'light'),
    ('dead-letters-360', 'dead', 360, 'light'),
    ('schedule', 'series/report.daily', 1280, 'light'),
)
PARTS = ('', 'dead', 'jobs', 'jobs?place=timer', 'jobs?place=done', 'series', 'series/report.daily', 'series?show=groups', 'series?show=calendars',
         'series?show=try&expression=R/PT10M', 'types', 'types/charge-card', 'types?show=limits', 'nodes', 'batches', 'incidents', 'incidents?show=each', 'log', 'audit',
         'doctor', 'settings')
HEIGHT = {1280: 860, 360: 740}


def all_of(page):
    """Each part of each view, and one dead letter."""
    dead = page.ask('jobs?place=dead&limit=1')['items']
    for view in (*PARTS, *(f'job/{each["id"]}' for each in dead)):
        name = 'job' if view.startswith('job/') else re.sub(r'[^a-z]+', '-', view.lower()).strip('-') or 'home'
        for width in HEIGHT:
            for theme in ('light', 'dark'):
                yield f'{name}-{width}-{theme}', view, width, theme


def take(page, folder, pictures):
    page.driver.execute_cdp_cmd('Emulation.setScrollbarsHidden', {'hidden': True})
    for name, view, width, theme in pictures:
        page.width(width, HEIGHT[width])
        page.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': [{'name': 'prefers-color-scheme', 'value': theme}]})
        page.open()
        page.show(view)
        page.until(lambda: page.driver.execute_script('return [...document.querySelectorAll("canvas")].every((each) => each.width > 0)'), 'charts')
        threading.Event().wait(2)  # Charts have drawn what has come.
        picture = page.driver.execute_cdp_cmd('Page.captureScreenshot', {'format': 'webp', 'quality': 80})
        Path(folder, f'{name}.webp').write_bytes(base64.b64decode(picture['data']))
        print(f'{name}.webp')


def main():
    binary = str(Path(sys.argv[1]).resolve())
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER
    minutes = float(sys.argv[3]) if len(sys.argv) > 3 else 3
    is_all = 'all' in sys.argv[4:]
    folder.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen([binary, 'demo', '--no-browser'], stdout=subprocess.PIPE, text=True) as demo, \
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        try:
            origin = demo.stdout.readline().strip().rstrip('/')
            threading.Event().wait(minutes * 60)
            driver = browser.driver_in(scratch)
            try:
                page = browser.Page(driver, origin, origin)
                take(page, folder, all_of(page) if is_all else PICTURES)
            finally:
                driver.quit()
        finally:
            demo.send_signal(signal.SIGINT)


if __name__ == '__main__':
    sys.exit(main())
