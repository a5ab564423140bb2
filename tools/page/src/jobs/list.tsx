// A list of jobs of one place: searched, sorted, page by page, with columns to choose, and deeds for many at once.
// All of what is chosen stands in the address.
import type { JSX } from 'preact';
import { useEffect, useLayoutEffect, useRef, useState } from 'preact/hooks';
import type { Query } from '../core/api.js';
import { changeQuery, href, type Place } from '../core/router.js';
import { useMayChange } from '../core/session.js';
import { span } from '../core/time.js';
import { t } from '../strings.js';
import { j } from '../strings/jobs.js';
import { Copy, Dialog, Empty, ErrorBox, Field } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import { curlOf, listCommand } from './command.js';
import { DeedButtons, deedsOfMany } from './deeds.js';
import { kDone, kJobs } from './grammars.js';
import { Looked } from './looked.js';
import { columnsFor, columnsOf, pathsIn, usualColumns, type Job } from './model.js';
import { isMistake, mistakeIn, parse, whereOf, type Key } from './search.js';
import { SearchBox } from './searchbox.js';
import { useSoonList } from './seldom.js';

const kLimits = ['20', '50', '100', '500'];

interface Props {
  place: Place;
  /** Of which place the jobs are. */
  of: string;
  label: string;
}

const kept = (of: string): string => `jobstrand.columns.${of}`;

/** The columns that are shown: of the address, else of this browser, else the usual ones. */
function chosenColumns(query: URLSearchParams, of: string): readonly string[] {
  const usual = usualColumns[of] ?? [];
  const text = query.get('columns') ?? localStorage.getItem(kept(of)) ?? '';
  const known = new Set(columnsOf(of).map((each) => each.key));
  const chosen = text.split(',').filter((key) => known.has(key) || /^payload\../.test(key));
  return chosen.length > 0 ? chosen : usual;
}

export function JobList(props: Props): JSX.Element {
  const { of } = props;
  const { query } = props.place;
  const mayChange = useMayChange();
  const grammar = of === 'done' ? kDone : kJobs;
  const search = query.get('search') ?? '';
  const parsed = parse(grammar, search);
  const isGood = grammar.isOfService || parsed.mistakes.length === 0;
  const meant = grammar.isOfService ? whereOf(search) : parsed.asked;
  const sort = of === 'all' || of === 'done' ? '' : (query.get('sort') ?? (of === 'dead' ? 'failed' : of === 'timer' ? 'due' : ''));
  const isDescending = query.get('order') ? query.get('order') === 'desc' : of === 'dead' && sort === 'failed';
  const limit = kLimits.includes(query.get('limit') ?? '') ? (query.get('limit') ?? '50') : '50';
  const after = query.get('after') ?? '';
  const columns = chosenColumns(query, of);
  const asked: Query = { place: of, ...meant, ...(sort ? { sort, order: isDescending ? 'desc' : 'asc' } : {}), limit };

  const found = useSoonList<Job>(isGood ? 'jobs' : undefined, { ...asked, after });
  const [isGivenUp, setGivenUp] = useState(false);
  const holdKey = JSON.stringify([asked, after, columns]);
  useEffect(() => setGivenUp(false), [holdKey]);

  const trail = useTrail(JSON.stringify([of, search, sort, isDescending, limit]), after);
  const selection = useSelection(JSON.stringify([of, search]));
  const rows = found.data?.items ?? [];
  selection.see(rows);
  const showColumns = (keys: readonly string[], isUsual = false): void => {
    if (isUsual) {
      localStorage.removeItem(kept(of));
    } else {
      localStorage.setItem(kept(of), keys.join(','));
    }
    changeQuery({ columns: isUsual ? '' : keys.join(',') }, 'replace');
  };
  const onSort = (by: string): void => changeQuery({ sort: by, order: sort === by && !isDescending ? 'desc' : 'asc', after: '' });
  const seen = (key: Key): string[] => rows.map((job) => (key.name === 'type' ? job.handlerType : key.name === 'tenant' ? job.tenantId : key.name === 'instance' ? job.processInstanceId : null)).filter((value): value is string => Boolean(value));
  const completed = (key: Key): readonly string[] => (key.name === 'payload' ? [...new Set(rows.flatMap((job) => pathsIn(job.payload)))].slice(0, 20) : seen(key));
  const mistake = isMistake(found.error) ? mistakeIn(search, found.error) : undefined;
  const deeds = mayChange ? deedsOfMany(of) : [];
  const isSelecting = deeds.length > 0;
  return (
    <div class="job-list">
      <SearchBox label={props.label} grammar={grammar} value={search} onSearch={(text) => changeQuery({ search: text, after: '', ...(query.get('place') || props.place.path[0] !== 'jobs' ? {} : { place: of }) })} seen={completed} mistake={mistake} />
      <div class="row list-head">
        <ColumnChooser of={of} columns={columns} onChange={showColumns} />
        <label class="row">
          <span class="unseen">{j.rowsShort}</span>
          <select aria-label={j.rowsLong} value={limit} onChange={(event) => changeQuery({ limit: event.currentTarget.value, after: '' })}>
            {kLimits.map((each) => (
              <option key={each} value={each}>
                {each}
              </option>
            ))}
          </select>
        </label>
        <span class="grow" />
        {found.data && <Copy label={j.copyCommand} text={listCommand(of, { ...meant, ...(sort ? { sort, desc: isDescending ? 'true' : '' } : {}), limit })} />}
        {found.data && <Copy label={j.copyCurl} text={curlOf('GET', 'jobs', asked)} />}
      </div>
      {isSelecting && selection.size > 0 && (
        <SelectionBar of={of} asked={meant} selection={selection} deeds={deeds} onDone={found.reload} canSelectAll={rows.length > 0 && rows.every((job) => selection.keys.has(job.id))} />
      )}
      {found.error && !mistake && <ErrorBox error={found.error} onRetry={found.reload} />}
      {isGood && !found.error && !found.data && <Waiting isGivenUp={isGivenUp} onCancel={() => { found.cancel(); setGivenUp(true); }} onRetry={() => { setGivenUp(false); found.reload(); }} />}
      {isGood && found.data && (
        <>
          <Looked found={found} text={j.lookedSome} label={j.searchAll} />
          <Table
            caption={props.label}
            columns={columnsFor(columns, of === 'all' || of === 'done' ? undefined : { by: sort, isDescending, onSort })}
            rows={rows}
            keyOf={(job) => job.id}
            hrefOf={(job) => href(['job', job.id])}
            empty={search ? j.noMatch : of === 'dead' ? j.noDead : j.noJobs}
            holdKey={holdKey}
            {...(isSelecting ? { selected: selection.keys, onSelect: selection.choose } : {})}
          />
          <nav class="row pages" aria-label={t.pages}>
            {after && <button onClick={() => changeQuery({ after: '' })}>{t.first}</button>}
            {trail.before !== undefined && <button onClick={() => changeQuery({ after: trail.before ?? '' })}>{j.back}</button>}
            {found.data.after && <button onClick={() => changeQuery({ after: found.data?.after ?? '' })}>{t.next}</button>}
            {found.data.partial && <span role="status">{j.partial}</span>}
            <span class="grow" />
            {found.took !== undefined && <span class="quiet" data-took>{t.tookMs(span(found.took))}</span>}
          </nav>
        </>
      )}
    </div>
  );
}

/** The pages that were seen of a list: what lies before this one, if we came that way. */
function useTrail(key: string, after: string): { before: string | undefined } {
  const trail = useRef<{ key: string; pages: string[] }>({ key, pages: [after] });
  if (trail.current.key !== key) {
    trail.current = { key, pages: [after] };
  }
  const at = trail.current.pages.indexOf(after);
  trail.current.pages = at >= 0 ? trail.current.pages.slice(0, at + 1) : [...trail.current.pages, after];
  return { before: trail.current.pages[trail.current.pages.length - 2] };
}

interface Selection {
  keys: ReadonlySet<string>;
  size: number;
  isAll: boolean;
  jobs: readonly Job[];
  choose: (keys: ReadonlySet<string>) => void;
  chooseAll: () => void;
  see: (rows: readonly Job[]) => void;
}

/** What is selected stays so over pages, and is forgotten with another search. */
function useSelection(key: string): Selection {
  const [keys, setKeys] = useState<ReadonlySet<string>>(new Set());
  const [isAll, setAll] = useState(false);
  const seen = useRef(new Map<string, Job>());
  useLayoutEffect(() => {
    setKeys(new Set());
    setAll(false);
    seen.current.clear();
  }, [key]);
  return {
    keys,
    size: keys.size,
    isAll: isAll && keys.size > 0,
    jobs: [...keys].map((id) => seen.current.get(id)).filter((job): job is Job => job !== undefined),
    choose: (next) => {
      setKeys(next);
      setAll(false);
    },
    chooseAll: () => setAll(true),
    see: (rows) => rows.forEach((job) => seen.current.set(job.id, job)),
  };
}

function SelectionBar(props: { of: string; asked: Record<string, readonly string[]>; selection: Selection; deeds: ReturnType<typeof deedsOfMany>; onDone: () => void; canSelectAll: boolean }): JSX.Element {
  const { selection } = props;
  const targets = selection.isAll ? { place: props.of, asked: props.asked } : { place: props.of, jobs: selection.jobs };
  return (
    <div class="row selection" role="region" aria-label={j.selection}>
      <strong role="status">{selection.isAll ? j.allSelected : j.selected(selection.size)}</strong>
      {!selection.isAll && props.canSelectAll && <button onClick={selection.chooseAll}>{j.selectAll}</button>}
      <button class="quiet-button" onClick={() => selection.choose(new Set())}>
        {j.unselect}
      </button>
      <span class="grow" />
      <DeedButtons key={`${selection.isAll} ${selection.size}`} deeds={props.deeds} targets={targets} onDone={() => { selection.choose(new Set()); props.onDone(); }} />
    </div>
  );
}

function Waiting(props: { isGivenUp: boolean; onCancel: () => void; onRetry: () => void }): JSX.Element {
  const [isSlow, setSlow] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => setSlow(true), 1000);
    return () => clearTimeout(timer);
  }, [props.isGivenUp]);
  if (props.isGivenUp) {
    return (
      <Empty>
        {j.givenUp} <button onClick={props.onRetry}>{t.retry}</button>
      </Empty>
    );
  }
  return (
    <p class="quiet" role="status">
      {t.loading} {isSlow && <button onClick={props.onCancel}>{t.cancel}</button>}
    </p>
  );
}

function ColumnChooser(props: { of: string; columns: readonly string[]; onChange: (keys: readonly string[], isUsual?: boolean) => void }): JSX.Element {
  const [isOpen, setOpen] = useState(false);
  const [path, setPath] = useState('');
  const all = [...columnsOf(props.of), ...props.columns.filter((key) => key.startsWith('payload.')).map((key) => ({ key, head: key }))];
  const toggle = (key: string): void => {
    const next = props.columns.includes(key) ? props.columns.filter((each) => each !== key) : [...props.columns, key];
    if (next.length > 0) {
      props.onChange(next);
    }
  };
  const add = (): void => {
    const column = `payload.${path.trim().replace(/^payload\./, '')}`;
    if (path.trim() && !path.includes(',') && !props.columns.includes(column)) {
      props.onChange([...props.columns, column]);
    }
    setPath('');
  };
  return (
    <>
      <button onClick={() => setOpen(true)}>{j.columns}…</button>
      {isOpen && (
        <Dialog title={j.columns} onClose={() => setOpen(false)}>
          <p class="quiet">{j.columnsHelp}</p>
          <ul class="choices">
            {all.map((column) => (
              <li key={column.key}>
                <label>
                  <input type="checkbox" name={column.key} checked={props.columns.includes(column.key)} onChange={() => toggle(column.key)} /> {column.head}
                </label>
              </li>
            ))}
          </ul>
          {props.of !== 'done' && (
            <form
              onSubmit={(event) => {
                event.preventDefault();
                add();
              }}
            >
              <Field label={j.payloadPath} help={j.payloadPathHelp}>
                {(id, help) => <input id={id} name="path" aria-describedby={help} value={path} onInput={(event) => setPath(event.currentTarget.value)} />}
              </Field>
              <button type="submit" disabled={path.trim() === ''}>
                {j.add}
              </button>
            </form>
          )}
          <footer>
            <button onClick={() => props.onChange([], true)}>{j.asUsual}</button>
            <button class="primary" onClick={() => setOpen(false)}>
              {t.close}
            </button>
          </footer>
        </Dialog>
      )}
    </>
  );
}
