"""Judges the JSON that a contender printed, and makes the Markdown table of all."""

ONCE = 'every job succeeded exactly once'
EMPTY = 'the tables are empty at the end'
BEGIN = '<!-- bench/compare writes what is between these marks. -->'
END = '<!-- bench/compare: end -->'
SERVERS = ('mariadb', 'postgresql', 'sqlite')


def problem_of(result, figure_name, jobs):
    """Why a result does not count; empty: it does. A lost job or one that ran twice is no result at all."""
    if result.get('format') != 'jobstrand-bench/1':
        return 'it printed something else than jobstrand-bench/1'
    checks = {check['name']: check for check in result['checks']}
    for name in (ONCE, EMPTY):
        if name not in checks:
            return f'it did not check that {name}'
    for check in checks.values():
        if not check['passed']:
            return f"not true: {check['name']}: {check['problem']}"
    if not result['passed']:
        return 'it says that it did not pass'
    if result['settings'].get('jobs') != str(jobs):
        return f"it ran {result['settings'].get('jobs')} jobs instead of {jobs}"
    rates = figure(result, figure_name)
    if rates is None or not rates['values'] or min(rates['values']) <= 0:
        return f'it measured no "{figure_name}"'
    return ''


def figure(result, name):
    return next((figure for figure in result['figures'] if figure['name'] == name), None)


def markdown(summary, results, contenders):
    """The table for each server. `results`: contender id -> JSON; `summary`: see bench/compare."""
    parts = []
    for server in SERVERS:
        rows = list(rows_for(server, summary, results, contenders))
        if rows:
            parts.append(f"On {summary['servers'].get(server, server)}:\n\n"
                         '| | work | jobs/s, median (range) | Jobstrand ÷ it | client CPU per job | jobs × runs |\n'
                         '|---|---|---:|---:|---:|---:|\n' + '\n'.join(rows))
    notes = list(notes_for(summary, results, contenders))
    settings = [settings_line(contender, results[contender.id]) for contender in contenders if contender.id in results]
    return '\n\n'.join([*parts, measured_line(summary, results, contenders), *(['\n'.join(notes)] if notes else []),
                        'Settings:\n\n' + '\n'.join(settings)])


def rows_for(server, summary, results, contenders):
    here = [contender for contender in contenders if contender.server == server]
    for contender in here:
        if contender.id in results:
            ceiling = figure(results[contender.id], contender.figure)['ceiling'] if contender.is_ours else None
            if ceiling:
                yield f'| raw SQL, one page per transaction | {contender.work} | {number(ceiling)} | | | |'
            yield row(contender, results[contender.id], yardstick(contender, results, here))
        elif contender.id in summary['outcomes']:
            outcome = summary['outcomes'][contender.id]
            yield f"| {contender.name} | {contender.work} | {outcome['status']} | | | |"


def yardstick(contender, results, here):
    """Our median for the same work on the same server; None for ourselves, and where we have none."""
    if contender.is_ours:
        return None
    for one in here:
        if one.is_ours and one.work == contender.work and one.id in results:
            return figure(results[one.id], one.figure)['median']
    return None


def row(contender, result, our_median):
    rates = figure(result, contender.figure)
    cpu = figure(result, 'CPU time per job')
    cells = (
        f'**{contender.name}**' if contender.is_ours else contender.name,
        contender.work,
        f"{number(rates['median'])} ({number(rates['min'])}–{number(rates['max'])})",
        '' if our_median is None else ratio(our_median / rates['median']),
        '' if cpu is None else f"{number(cpu['median'])} µs",
        f"{number(int(result['settings']['jobs']))} × {len(rates['values'])}",
    )
    return f"| {' | '.join(cells)} |"


def measured_line(summary, results, contenders):
    machine = next((results[one.id]['environment'] for one in contenders if one.id in results), {})
    return (f"Measured {summary['startedAt'][:10]} with `{summary['command']}` on {machine.get('cpus', '?')} cores of "
            f"{machine.get('cpu', '?')}, servers and clients on the same machine; load at the start {summary['load']}.")


def notes_for(summary, results, contenders):
    for contender in contenders:
        outcome = summary['outcomes'].get(contender.id)
        if outcome and outcome['status'] != 'passed':
            yield f"- {contender.id}: {outcome['status']}: {outcome['why'].rstrip('.')}."
        elif outcome and outcome['run'] != summary['startedAt']:
            yield f"- {contender.id} is from another run, {outcome['run'][:19]}."


def settings_line(contender, result):
    left_out = {'jobs', 'warmUp', 'repeat', 'queue' if not contender.is_ours else ''}
    told = ', '.join(f'{name} {value}' for name, value in result['settings'].items() if name not in left_out and value)
    environment = result['environment']
    if contender.is_ours:  # Its JSON does not tell all that it was told.
        told += f"; `{' '.join(contender.program[1:])}`"
    return f"- {contender.id}: {environment['program']} ({environment['compiler']}); {told}"


def number(value):
    if value >= 100:
        return f'{value:,.0f}'
    return f'{value:.1f}' if value >= 10 else f'{value:.2f}'


def ratio(value):
    return f'{value:.0f}' if value >= 20 else f'{value:.1f}' if value >= 2 else f'{value:.2f}'


def with_table(document, table):
    """The document with the table between its marks. Raises ValueError when it has no marks."""
    if BEGIN not in document or END not in document:
        raise ValueError('the document has no marks to write between')
    before, rest = document.split(BEGIN, 1)
    return f'{before}{BEGIN}\n\n{table}\n\n{END}{rest.split(END, 1)[1]}'
