// The settings that the service has, to be read.
import type { JSX } from 'preact';
import { changeQuery, type Place } from '../core/router.js';
import { formatJson, type Json } from '../core/json.js';
import { useOptional } from '../core/optional.js';
import { OnItsMachine } from '../operate/parts.js';
import { t } from '../strings.js';
import { settings as s } from '../strings/operate.js';
import { Copy, Field, Loaded, View } from '../ui/parts.js';
import { Table } from '../ui/table.js';

const textOf = (value: Json): string => (typeof value === 'string' ? value : formatJson(value));

export function SettingsView(props: { place: Place }): JSX.Element {
  const found = useOptional<Record<string, Json>>('settings', {}, 30);
  const search = props.place.query.get('search') ?? '';
  const all = Object.entries(found.data ?? {});
  const rows = all.filter(([name, value]) => `${name}\n${textOf(value)}`.toLowerCase().includes(search.toLowerCase()));
  if (found.isAbsent) {
    return <OnItsMachine title={t.nav.settings} words={s.absent} command={s.command} />;
  }
  return (
    <View title={t.nav.settings} aside={found.data && <span class="quiet">{s.count(rows.length, all.length)}</span>}>
      <p class="quiet">{s.hint}</p>
      <div class="filters">
        <Field label={s.search}>
          {(id) => <input id={id} type="search" value={search} onInput={(event) => changeQuery({ search: event.currentTarget.value }, 'replace')} />}
        </Field>
      </div>
      <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload}>
        <Table
          caption={t.nav.settings}
          rows={rows}
          keyOf={([name]) => name}
          empty={s.none}
          holdKey={search}
          columns={[
            { key: 'name', head: s.name, cell: ([name]) => <code>{name}</code> },
            {
              key: 'value',
              head: s.value,
              cell: ([, value]) =>
                value !== null && typeof value === 'object' && formatJson(value).includes('\n') ? <pre tabIndex={0}>{formatJson(value)}</pre> : <span class="message">{textOf(value)}</span>,
            },
            { key: 'copy', head: <span class="unseen">{t.copy}</span>, cell: ([name, value]) => <Copy text={`${name} = ${formatJson(value)}`} />, isMinor: true },
          ]}
        />
      </Loaded>
    </View>
  );
}
