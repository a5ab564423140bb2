// Groups, calendars, and a place to try a text.
import type { JSX } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import { send } from '../core/api.js';
import { changeQuery, href, type Place } from '../core/router.js';
import { useList, useResource } from '../core/resource.js';
import { useMayChange } from '../core/session.js';
import { useDeeds } from '../operate/deeds.js';
import { Mistake, useRelease, useSettled } from '../operate/parts.js';
import { s } from '../strings/series.js';
import { Badge, Card, Copy, Empty, Field, Loaded, Time } from '../ui/parts.js';
import { Table } from '../ui/table.js';
import { DstSelect, ZoneInput } from './reschedule.js';
import { TimeLine, TurnList } from './turns.js';
import type { Calendar, Group, Series } from './types.js';
import { scheduleWords } from './words.js';
import { isZone, readerZone } from './zone.js';

export function Groups(): JSX.Element {
  const found = useList<Group>('groups');
  const [released, release] = useRelease(found.data);
  const [dialog, ask] = useDeeds(() => {
    release();
    found.reload();
  });
  const mayChange = useMayChange();
  const deed = (group: Group): void => {
    const verb = group.paused ? 'resume' : 'pause';
    ask({
      title: group.paused ? s.resumeGroup(group.id) : s.pauseGroup(group.id),
      label: group.paused ? s.resume : s.pause,
      text: group.paused ? s.resumeGroupText : s.pauseGroupText,
      does: async (reason) => {
        const answers = await send<{ id: string; moved: number }[]>('POST', `groups/${verb}`, { names: [group.id] }, reason);
        return s.moved(answers.reduce((sum, each) => sum + each.moved, 0));
      },
    });
  };
  return (
    <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload}>
      <Table
        caption={s.groups}
        rows={found.data?.items ?? []}
        keyOf={(row) => row.id}
        hrefOf={(row) => href(['series'], { group: row.id })}
        empty={s.noGroups}
        holdKey={released}
        columns={[
          { key: 'id', head: s.group, cell: (row) => <a href={href(['series'], { group: row.id })}>{row.id}</a> },
          { key: 'series', head: s.members, cell: (row) => row.series, isNumber: true },
          {
            key: 'paused',
            head: s.state,
            cell: (row) =>
              row.paused ? (
                <>
                  <Badge tone="warn">{s.states['paused']}</Badge> <Time of={row.pausedSince} />
                </>
              ) : (
                ''
              ),
          },
          ...(mayChange ? [{ key: 'deed', head: <span class="unseen">{s.deeds}</span>, cell: (row: Group) => <button onClick={() => deed(row)}>{row.paused ? s.resume : s.pause}</button> }] : []),
        ]}
      />
      {dialog}
    </Loaded>
  );
}

export function Calendars(props: { place: Place }): JSX.Element {
  const chosen = props.place.query.get('calendar');
  const found = useList<Calendar>('calendars', {}, { every: 5 });
  const series = useList<Series>('series', { limit: 1000 }, { every: 15 });
  const users = (name: string): Series[] => (series.data?.items ?? []).filter((each) => each.calendar === name);
  const shown = (found.data?.items ?? []).filter((each) => !chosen || each.calendar === chosen);
  return (
    <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload}>
      {shown.length === 0 && <Empty>{s.noCalendars}</Empty>}
      {shown.map((each) => (
        <Card key={each.calendar} title={each.calendar} aside={<Copy text={each.text} />}>
          <p class="quiet">{s.calendarText}</p>
          <pre tabIndex={0}>{each.text.replace(/;\s*/g, '\n')}</pre>
          <p>
            {`${s.usedBy}: `}
            {users(each.calendar).length === 0
              ? s.unused
              : users(each.calendar).map((user, i) => (
                  <>
                    {i > 0 && ', '}
                    <a href={href(['series', user.series])}>{user.series}</a>
                  </>
                ))}
          </p>
        </Card>
      ))}
    </Loaded>
  );
}

/** What is typed stands in the place, so that it can be sent to somebody. */
export function TryText(props: { place: Place }): JSX.Element {
  const { query } = props.place;
  const [expression, setExpression] = useState(query.get('expression') ?? '');
  const [zone, setZone] = useState(query.get('zone') ?? readerZone());
  const [dst, setDst] = useState(query.get('dst') ?? 'quartz');
  const [count, setCount] = useState(query.get('count') ?? '10');
  const [after, setAfter] = useState(query.get('after') ?? '');
  const asked = useSettled({ expression: expression.trim(), zone: zone.trim(), dst, count, after: after.trim() });
  useEffect(() => changeQuery(asked, 'replace'), [asked]);
  const found = useResource<{ time: string }[]>(asked.expression ? 'timers/next' : undefined, asked, { every: 0 });
  const words = scheduleWords(expression, zone);
  const turns = (found.data ?? []).map(({ time }) => ({ time, isLeftOut: false }));
  const shownZone = isZone(asked.zone) ? asked.zone : 'UTC';
  return (
    <Card>
      <Field label={s.expression} help={words ?? s.expressionHelp}>
        {(id, help) => <input id={id} type="search" name="expression" aria-describedby={help} value={expression} spellcheck={false} onInput={(event) => setExpression(event.currentTarget.value)} />}
      </Field>
      <div class="filters">
        <Field label={s.zone}>{(id) => <ZoneInput id={id} value={zone} onValue={setZone} />}</Field>
        <Field label={s.dst}>{(id) => <DstSelect id={id} value={dst} onValue={setDst} />}</Field>
        <Field label={s.count}>
          {(id) => <input id={id} name="count" type="number" min="1" max="100" value={count} onInput={(event) => setCount(event.currentTarget.value)} />}
        </Field>
        <Field label={s.after} help={s.afterHelp}>
          {(id, help) => <input id={id} name="after" aria-describedby={help} value={after} placeholder="2027-03-27" onInput={(event) => setAfter(event.currentTarget.value)} />}
        </Field>
      </div>
      {!asked.expression && <Empty>{s.tryEmpty}</Empty>}
      {found.error && <Mistake error={found.error} />}
      {found.data && !found.error && (
        <div data-part="turns">
          <TimeLine turns={turns} zone={shownZone} />
          {turns.length === 0 ? <Empty>{s.isNever}</Empty> : <TurnList turns={turns} zone={shownZone} />}
        </div>
      )}
    </Card>
  );
}
