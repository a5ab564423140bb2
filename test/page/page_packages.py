"""What tools/page/package.json names for those who write the page: TypeScript, axe."""
import shutil
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / 'tools/page'
sys.path.insert(0, str(ROOT / 'test/clients'))
import clients  # noqa: E402


def installed(folder):
    """Where they are; folder is made, and used again."""
    target = Path(folder, 'page').resolve()
    target.mkdir(parents=True, exist_ok=True)
    for name in ('package.json', 'package-lock.json'):
        shutil.copy(PAGE / name, target / name)
    clients.install(target, PAGE / 'package-lock.json', ['npm', 'ci', '--ignore-scripts', '--no-audit', '--no-fund'])
    return target / 'node_modules'
