// Who has changed what, and why.
import type { JSX } from 'preact';
import { changeQuery, href, type Place } from '../core/router.js';
import { useSeldomList } from '../jobs/seldom.js';
import { More, useSettled } from '../operate/parts.js';
import { t } from '../strings.js';
import { audit as s } from '../strings/operate.js';
import { Badge, Field, Loaded, Time, View } from '../ui/parts.js';
import { Table, type Column } from '../ui/table.js';

interface Entry {
  id: string;
  time: string;
  who: string;
  via: string;
  action: string;
  arguments: string | null;
  reason: string | null;
  result: string | null;
  changed: number | null;
}

/** Who and what lead to the list of only these. */
const columnsOf = (narrowed: (change: Record<string, string>) => string): Column<Entry>[] => [
  { key: 'time', head: s.time, cell: (row) => <span class="nowrap"><Time of={row.time} /></span> },
  {
    key: 'who',
    head: s.who,
    cell: (row) => (
      <span class="nowrap">
        <a href={narrowed({ who: row.who })}>{row.who}</a> <span class="quiet">{row.via}</span>
      </span>
    ),
  },
  { key: 'action', head: s.action, cell: (row) => <a class="nowrap" href={narrowed({ action: row.action })}>{row.action}</a> },
  { key: 'arguments', head: s.arguments, cell: (row) => <span class="message">{row.arguments ?? ''}</span>, isMinor: true },
  { key: 'reason', head: s.reason, cell: (row) => row.reason ?? <span class="quiet">{t.none}</span> },
  { key: 'result', head: s.result, cell: (row) => (row.result === null ? <Badge tone="warn">{s.under}</Badge> : <Badge tone={row.result === 'done' ? 'good' : 'warn'}>{row.result}</Badge>) },
  { key: 'changed', head: s.changed, cell: (row) => row.changed ?? t.none, isNumber: true },
];

const kFilters = ['who', 'action', 'since', 'until'] as const;

export function AuditView(props: { place: Place }): JSX.Element {
  const { query } = props.place;
  const typed = Object.fromEntries(kFilters.map((name) => [name, query.get(name) ?? '']));
  const filter = useSettled(typed);
  const after = query.get('after') ?? '';
  const found = useSeldomList<Entry>('audit', { ...filter, after, limit: 50 });
  return (
    <View title={t.nav.audit}>
      <div class="filters">
        {kFilters.map((name) => (
          <Field key={name} label={s[name]} {...(name === 'since' || name === 'until' ? { help: s.whenHelp } : {})}>
            {(id, help) => (
              <input
                id={id}
                name={name}
                type={name === 'who' ? 'search' : 'text'}
                aria-describedby={help}
                placeholder={name === 'action' ? s.exactly : ''}
                value={query.get(name) ?? ''}
                onInput={(event) => changeQuery({ [name]: event.currentTarget.value, after: '' }, 'replace')}
              />
            )}
          </Field>
        ))}
      </div>
      <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload} onCancel={found.cancel}>
        <Table caption={t.nav.audit} columns={columnsOf((change) => href(['audit'], { ...typed, ...change }))} rows={found.data?.items ?? []} keyOf={(row) => row.id} empty={s.none} holdKey={`${after} ${JSON.stringify(filter)}`} />
        <More after={after} next={found.data?.after} />
      </Loaded>
    </View>
  );
}
