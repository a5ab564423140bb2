// First what is wrong, then how much of what is where, and how fast it goes.
import type { JSX } from 'preact';
import { href, type Place } from '../core/router.js';
import { atLeast, useLive, type ServiceNode, type Stats } from '../core/live.js';
import { ago, count, span } from '../core/time.js';
import { t } from '../strings.js';
import { j } from '../strings/jobs.js';
import { Card, Loaded, View } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import { backlogInWords } from '../home/backlog.js';
import { Problems } from '../home/problems.js';
import { useOptional } from '../core/optional.js';
import type { Last, TypeRate } from '../core/rates.js';
import { useNodes, useStats } from '../core/told.js';
import { isLast, kEvery, Rates } from '../home/rates.js';
import { quoted } from '../jobs/search.js';

export function HomeView(props: { place: Place }): JSX.Element {
  const { stats, asked } = useStats();
  const { nodes, isAsked } = useNodes();
  const wanted = props.place.query.get('last');
  const last: Last = isLast(wanted) ? wanted : 'PT1H';
  return (
    <View title={t.nav.home}>
      <Problems stats={stats} nodes={nodes} isAsked={isAsked} />
      <Loaded isThere={stats !== undefined} error={asked.error} onRetry={asked.reload}>
        {stats && <Tiles stats={stats} nodes={nodes} />}
      </Loaded>
      <Rates last={last} nodes={nodes} />
      <Types last={last} />
    </View>
  );
}

function Tiles(props: { stats: Stats; nodes: readonly ServiceNode[] | undefined }): JSX.Element {
  const { stats } = props;
  const live = useLive();
  const waiting = stats.places.executable - (stats.locked.executable ?? 0);
  const isMore = (place: string): boolean => stats.lookedAt?.[place] !== undefined;
  const backlog = backlogInWords(waiting, live.backlog);
  const running = props.nodes?.reduce((sum, node) => sum + node.running, 0) ?? 0;
  const workers = props.nodes?.reduce((sum, node) => sum + node.workers, 0) ?? 0;
  const oldest = live.work?.oldest;
  return (
    <>
      <div class="tiles">
        {Object.entries(stats.places).map(([place, jobs]) => {
          const locked = (stats.locked as Record<string, number | undefined>)[place];
          return (
            <Card key={place}>
              <a class="tile" href={place === 'dead' ? href(['dead']) : href(['jobs'], { place })}>
                <strong data-place={place} class={place === 'dead' && jobs > 0 ? 'bad' : ''}>
                  {atLeast(jobs, isMore(place))}
                </strong>
                <span>{t.places[place as keyof typeof t.places]}</span>
                {(isMore(place) || stats.asOf?.[place]) && (
                  <span class="split" data-as-of={place}>
                    {isMore(place) ? j.moreThere : j.countedThen(ago(stats.asOf?.[place] ?? ''))}
                  </span>
                )}
                {locked !== undefined && !isMore(place) && (
                  <span class="split" data-split={place}>
                    {count(Math.max(0, jobs - locked))} {j.free}, {count(locked)} {j.locked}
                  </span>
                )}
              </a>
            </Card>
          );
        })}
      </div>
      <div class="tiles">
        <Card>
          <a class="tile" href={href(['jobs'], { place: 'executable', search: 'is:free' })}>
            <strong data-backlog class={backlog.tone === 'plain' ? '' : backlog.tone}>
              {atLeast(Math.max(0, waiting), isMore('executable'))}
            </strong>
            <span>{j.ahead}</span>
            <span class="split" role="status" data-eta>
              {backlog.text}
            </span>
          </a>
        </Card>
        {oldest !== undefined && (
          <Card>
            <a class="tile" href={oldest ? href(['jobs'], { place: oldest.place, search: `type:${quoted(oldest.handlerType)} is:free`, sort: oldest.place === 'executable' ? 'created' : undefined }) : href(['jobs'])}>
              <strong data-oldest>{oldest ? span(Date.now() - Date.parse(oldest.waitsSince)) : t.none}</strong>
              <span>{j.oldest}</span>
              {oldest && <span class="split">{oldest.handlerType}</span>}
            </a>
          </Card>
        )}
        {props.nodes && (
          <Card>
            <a class="tile" href={href(['nodes'])}>
              <strong data-nodes>{props.nodes.length}</strong>
              <span>{t.nav.nodes}</span>
              <span class="split">{j.runsNow(running, workers)}</span>
            </a>
          </Card>
        )}
      </div>
    </>
  );
}

/** The busiest types, and those that fail, of the time that is shown. */
function Types(props: { last: Last }): JSX.Element {
  const rates = useOptional<TypeRate[]>('rates/types', { last: props.last }, kEvery[props.last]);
  const rows = (rates.data ?? []).map((each) => ({ type: each.type ?? '', ended: each.completed + each.failed, failed: each.failed, wait: each.waitP95, run: each.runP95 }));
  const of = j.last[props.last] ?? '';
  const busiest = rows.filter((row) => row.ended > 0).sort((a, b) => b.ended - a.ended).slice(0, 8);
  const failing = rows.filter((row) => row.failed > 0).sort((a, b) => b.failed - a.failed).slice(0, 8);
  const name = (to: (row: { type: string }) => string) => (row: { type: string }): JSX.Element => (
    <a class="word" href={to(row)}>
      {row.type || t.none}
    </a>
  );
  const time = (value: number | null): string => (value === null ? t.none : span(value * 1000));
  return (
    <div class="columns">
      <Card title={j.busiest} aside={<span class="quiet">{of}</span>}>
        <Table
          caption={j.busiest}
          rows={busiest}
          keyOf={(row) => row.type}
          empty={t.none}
          columns={[
            { key: 'type', head: j.cause.type, cell: name((row) => href(['types', row.type])) },
            { key: 'ended', head: j.column.runs, isNumber: true, cell: (row) => count(row.ended) },
            { key: 'wait', head: j.column.waitP95, isNumber: true, cell: (row) => time(row.wait) },
            { key: 'run', head: j.column.runP95, isNumber: true, cell: (row) => time(row.run) },
          ]}
        />
      </Card>
      <Card title={j.failing} aside={<span class="quiet">{of}</span>}>
        <Table
          caption={j.failing}
          rows={failing}
          keyOf={(row) => row.type}
          empty={t.none}
          columns={[
            { key: 'type', head: j.cause.type, cell: name((row) => href(['dead'], { search: `type:${quoted(row.type)}` })) },
            { key: 'failed', head: j.failed, isNumber: true, cell: (row) => <span class="bad">{count(row.failed)}</span> },
            { key: 'share', head: j.column.share, isNumber: true, cell: (row) => `${Math.round((row.failed / Math.max(1, row.ended)) * 100)} %` },
            { key: 'log', head: <span class="unseen">{t.nav.log}</span>, cell: (row) => <a href={href(['log'], { search: `type:${quoted(row.type)} event:failed` })}>{t.nav.log}</a> },
          ]}
        />
      </Card>
    </div>
  );
}
