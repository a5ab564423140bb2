#!/usr/bin/env python3
"""Takes the pictures of docs/pictures anew: the page of `jobstrand demo`, after some minutes of its life.

Usage: pictures.py PATH_OF_JOBSTRAND [FOLDER [MINUTES]]

Needs Debian's python3-selenium, chromium and chromium-driver. FOLDER is docs/pictures, MINUTES are 3.
"""
import base64
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
HEIGHT = {1280: 860, 360: 740}


def take(page, folder):
    page.driver.execute_cdp_cmd('Emulation.setScrollbarsHidden', {'hidden': True})
    for name, view, width, theme in PICTURES:
        page.width(width, HEIGHT[width])
        page.driver.execute_cdp_cmd('Emulation.setEmulatedMedia', {'features': [{'name': 'prefers-color-scheme', 'value': theme}]})
        page.open(view)
        page.until(lambda: not page.all('main [role="status"]', 'Loading'), f'{name} is there')
        page.until(lambda: page.driver.execute_script('return [...document.querySelectorAll("canvas")].every((each) => each.width > 0)'), 'charts')
        threading.Event().wait(2)  # Charts have drawn what has come.
        picture = page.driver.execute_cdp_cmd('Page.captureScreenshot', {'format': 'webp', 'quality': 80})
        Path(folder, f'{name}.webp').write_bytes(base64.b64decode(picture['data']))
        print(f'{name}.webp')


def main():
    binary = str(Path(sys.argv[1]).resolve())
    folder = Path(sys.argv[2]) if len(sys.argv) > 2 else FOLDER
    minutes = float(sys.argv[3]) if len(sys.argv) > 3 else 3
    folder.mkdir(parents=True, exist_ok=True)
    with subprocess.Popen([binary, 'demo', '--no-browser'], stdout=subprocess.PIPE, text=True) as demo, \
            tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        try:
            origin = demo.stdout.readline().strip().rstrip('/')
            threading.Event().wait(minutes * 60)
            driver = browser.driver_in(scratch)
            try:
                take(browser.Page(driver, origin, origin, None, scratch), folder)
            finally:
                driver.quit()
        finally:
            demo.send_signal(signal.SIGINT)


if __name__ == '__main__':
    sys.exit(main())
