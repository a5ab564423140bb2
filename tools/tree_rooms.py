"""Who may include whom: the tables of the tree check."""
import re

# What the layers above may see of the store: the contracts, and transactions with their errors.
STORE = {'persistence/.', 'persistence/sql/sql_transaction.hpp', 'persistence/sql/db_error.hpp', 'persistence/sql/job_listener.hpp'}
LAYERS = ('schema', 'persistence', 'executor', 'timers', 'deadletter')

# Folder -> what it may include of ours besides itself: whole folders (they end in /), a folder without its rooms (/.),
# and single headers. A room that is not listed follows the rule of the folder it lies in.
OWN_INCLUDES = {
    'include': set(),
    'schema': set(),
    'persistence': {'schema/'},
    'persistence/sql': {'schema/'},
    'persistence/drivers': {'schema/', 'persistence/sql/'},
    'persistence/migration': {'schema/', 'persistence/sql/'},
    'persistence/history': {'schema/', 'persistence/.', 'persistence/sql/'},
    'persistence/rows': {'schema/', 'persistence/.', 'persistence/sql/', 'persistence/history/'},
    'persistence/limits': {'schema/', 'persistence/.', 'persistence/sql/', 'persistence/rows/'},
    'persistence/tables': {'schema/', 'persistence/.', 'persistence/sql/', 'persistence/history/', 'persistence/rows/'},
    'persistence/series': {'schema/', 'persistence/.', 'persistence/sql/', 'persistence/history/', 'persistence/rows/'},
    'persistence/queries': {'schema/', 'persistence/.', 'persistence/sql/', 'persistence/rows/'},
    'persistence/jobs': {
        'schema/', 'persistence/.', 'persistence/sql/', 'persistence/history/', 'persistence/rows/',
        'persistence/limits/', 'persistence/series/'
    },
    'persistence/batches': {
        'schema/', 'persistence/.', 'persistence/sql/', 'persistence/history/', 'persistence/rows/', 'persistence/queries/', 'persistence/series/',
        'persistence/jobs/'
    },
    'persistence/nodes': {'schema/', 'persistence/.', 'persistence/sql/', 'persistence/rows/'},
    'persistence/store': {
        'persistence/tables/', 'schema/', 'persistence/.', 'persistence/sql/', 'persistence/history/', 'persistence/rows/', 'persistence/queries/', 'persistence/series/',
        'persistence/batches/', 'persistence/jobs/', 'persistence/limits/', 'persistence/nodes/', 'persistence/workers/'
    },
    'persistence/workers': {
        'schema/', 'persistence/.', 'persistence/sql/', 'persistence/rows/', 'persistence/limits/', 'persistence/series/',
        'persistence/jobs/'
    },
    'executor': {'schema/', 'executor/enqueue/', 'executor/loop/', 'executor/pool/', 'executor/report/',
                 'executor/workers/'} | STORE,
    'executor/enqueue': {'schema/', 'executor/loop/'} | STORE,
    'executor/loop': {'schema/'} | STORE,
    'executor/pool': {'schema/', 'executor/loop/'} | STORE,
    'executor/report': {'schema/', 'executor/loop/', 'executor/pool/held_jobs.hpp'} | STORE,
    'executor/workers': {'schema/', 'executor/loop/', 'executor/report/'} | STORE,
    'timers': {'schema/', 'timers/', 'executor/loop/'} | STORE,
    'timers/zone': {'schema/'},
    'timers/cron': {'schema/', 'timers/zone/'},
    'timers/calendar': {'schema/', 'timers/zone/', 'timers/cron/'},
    'timers/cycle': {'schema/', 'timers/zone/', 'timers/cron/', 'timers/calendar/'},
    'timers/series': {'schema/', 'timers/zone/', 'timers/cron/', 'timers/calendar/', 'timers/cycle/'},
    'deadletter': {'schema/'} | STORE,
    'tools': {f'{layer}/' for layer in LAYERS} | {'tools/engine/'},
    'tools/engine': {f'{layer}/' for layer in LAYERS},
    'tools/service/http': {'schema/', 'persistence/sql/db_error.hpp', 'tools/access/', 'tools/text/'},
    'bench': {f'{layer}/' for layer in LAYERS} | {'tools/engine/', 'test/fixtures/'},
    'test': {f'{layer}/' for layer in LAYERS} | {'tools/', 'bench/'},
    'test/fixtures': {f'{layer}/' for layer in LAYERS},
}
# The rooms of the program, from the bottom to the top: each may include those before it.
PROGRAM_ROOMS = (
    'text', 'process', 'output', 'access', 'settings', 'records', 'calls', 'handlers', 'session', 'parameters',
    'operations/job', 'operations', 'surface', 'service/http', 'service/api', 'service', 'program',
)
for number, name in enumerate(PROGRAM_ROOMS):
    OWN_INCLUDES.setdefault(f'tools/{name}', OWN_INCLUDES['tools'] | {f'tools/{before}/.' for before in PROGRAM_ROOMS[:number]})

TOP_FOLDERS = {folder.split('/')[0] for folder in OWN_INCLUDES}
# What stands at the top of the tree.
TOP_ENTRIES = TOP_FOLDERS | {
    'cmake', 'docs', 'examples', '.ci', '.clang-format', '.clang-tidy', '.editorconfig', '.gitignore', 'CHANGELOG.md', 'CMakeLists.txt',
    'CMakePresets.json', 'CONTRIBUTING.md', 'GLOSSARY.md', 'LICENSE', 'README.md', 'SECURITY.md',
}

# The public headers, <jobstrand/...>, know only each other. Every room may include those that have types of all; those of
# classes are only for whoever stands on what is behind them.
PUBLIC_CLASSES = re.compile(r'jobstrand/(engine|enqueuer|external_worker|job_history|management|named_lock|on_\w+|series|testing)\.hpp')
MAY_USE_PUBLIC_CLASSES = re.compile(r'(include|test|bench|tools/(engine|testing|example_app))/.*')

# Folder -> other libraries that it may include; folders that are not listed are free.
LIBRARIES = {
    'include': (),
    'schema': ('fmt/',),
    'persistence': ('fmt/',),
    'executor': ('fmt/', 'boost/asio'),
    'timers': ('fmt/', 'date/'),
    'deadletter': ('fmt/',),
}
# The sources in the folder of a database: they may include whatever client library they are written for.
DRIVER_SOURCES = re.compile(r'persistence/drivers/\w+/\w+\.cpp')
# Headers of client libraries -> who else may include them.
CLIENT_LIBRARIES = (
    (re.compile(r'(sqlite3|libpq-fe|mysql)\.h'), re.compile(r'include/jobstrand/on_\w+\.hpp|test/(face|testing|docs)/.*')),
    (re.compile(r'boost/asio/(awaitable|co_spawn)\.hpp'), re.compile(r'include/jobstrand/on_asio\.hpp|test/.*')),
    (re.compile(r'openssl/'), re.compile(r'test/fixtures/.*|tools/access/.*|tools/engine/engine_of\.cpp|tools/service/http/(tls_identity|http_connection)\.cpp|tools/(calls|handlers)/.*')),
    (re.compile(r'soci/|libpq|cppconn/|mysql'), None),
)
# Where SQL may stand that only some databases understand: in their drivers, in the bridges to apps, in the bench's yardstick, in tests.
DIALECT_FOLDERS = ('persistence/drivers/', 'include/jobstrand/on_', 'bench/core/raw_jobs.', 'test/')
