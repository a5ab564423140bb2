// Another schedule for a series: its next turns are shown before it is done.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { segment, send } from '../core/api.js';
import { useList, useResource } from '../core/resource.js';
import { Mistake, useSettled } from '../operate/parts.js';
import { s } from '../strings/series.js';
import { DeedDialog } from '../ui/deed.js';
import { Field } from '../ui/parts.js';
import { TurnList } from './turns.js';
import type { Calendar, Series } from './types.js';
import { isZone } from './zone.js';
import { scheduleWords } from './words.js';

const kMisfires = ['do-nothing', 'fire-once-now', 'ignore', 'smart', 'fire-now', 'now-with-existing', 'now-with-remaining', 'next-with-existing', 'next-with-remaining'];

export function Reschedule(props: { series: Series; onClose: () => void; onDone: () => void }): JSX.Element {
  const { series } = props;
  const [repeat, setRepeat] = useState(series.repeat ?? '');
  const [zone, setZone] = useState(series.zone);
  const [dst, setDst] = useState(series.dst);
  const [calendar, setCalendar] = useState(series.calendar ?? '');
  const [misfire, setMisfire] = useState(series.misfire ?? '');
  const calendars = useList<Calendar>('calendars', {}, { every: 0 });
  const wanted = useSettled({ expression: repeat.trim(), zone: zone.trim(), dst, calendar, count: 5 });
  const isSettled = wanted.expression === repeat.trim() && wanted.zone === zone.trim() && wanted.dst === dst && wanted.calendar === calendar;
  const preview = useResource<{ time: string }[]>(wanted.expression ? 'timers/next' : undefined, wanted, { every: 0 });
  const words = scheduleWords(repeat, zone);
  const body = {
    repeat: repeat.trim(),
    zone: zone.trim(),
    dst,
    ...(calendar ? { calendar } : series.calendar ? { noCalendar: true } : {}),
    ...(misfire !== (series.misfire ?? '') ? { misfire: misfire || 'none' } : {}),
  };
  return (
    <DeedDialog
      title={s.rescheduleTitle(series.series)}
      label={s.reschedule.replace('…', '')}
      isReady={isSettled && preview.data !== undefined && !preview.error}
      onClose={props.onClose}
      onDo={async (reason) => {
        await send('POST', `series/${segment(series.series)}/reschedule`, body, reason);
        props.onDone();
        return s.rescheduled(series.series);
      }}
    >
      <Field label={s.expression} help={words ?? s.expressionHelp}>
        {(id, help) => <input id={id} name="repeat" aria-describedby={help} value={repeat} spellcheck={false} onInput={(event) => setRepeat(event.currentTarget.value)} />}
      </Field>
      <Field label={s.zone}>{(id) => <ZoneInput id={id} value={zone} onValue={setZone} />}</Field>
      <div class="filters">
        <Field label={s.dst}>{(id) => <DstSelect id={id} value={dst} onValue={setDst} />}</Field>
        <Field label={s.calendar}>
          {(id) => (
            <select id={id} value={calendar} onChange={(event) => setCalendar(event.currentTarget.value)}>
              <option value="">{s.noCalendar}</option>
              {(calendars.data?.items ?? []).map((each) => (
                <option key={each.calendar} value={each.calendar}>
                  {each.calendar}
                </option>
              ))}
            </select>
          )}
        </Field>
        <Field label={s.misfire}>
          {(id) => (
            <select id={id} value={misfire} onChange={(event) => setMisfire(event.currentTarget.value)}>
              <option value="">{s.misfireDefault}</option>
              {[...new Set([...kMisfires, ...(series.misfire ? [series.misfire] : [])])].map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          )}
        </Field>
      </div>
      {preview.error && <Mistake error={preview.error} />}
      {preview.data && !preview.error && (
        <div data-part="preview">
          <h3>{s.preview}</h3>
          <TurnList turns={preview.data.map(({ time }) => ({ time, isLeftOut: false }))} zone={isZone(wanted.zone) ? wanted.zone : 'UTC'} />
          {calendar && <p class="quiet">{s.calendarUnread(calendar)}</p>}
        </div>
      )}
    </DeedDialog>
  );
}

/** All zones are offered that the browser knows. */
export function ZoneInput(props: { id: string; value: string; onValue: (zone: string) => void }): JSX.Element {
  const zones = typeof Intl.supportedValuesOf === 'function' ? Intl.supportedValuesOf('timeZone') : [];
  return (
    <>
      <input id={props.id} name="zone" list={`${props.id}-zones`} value={props.value} spellcheck={false} onInput={(event) => props.onValue(event.currentTarget.value)} />
      <datalist id={`${props.id}-zones`}>
        {['UTC', ...zones].map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}

export function DstSelect(props: { id: string; value: string; onValue: (dst: string) => void }): JSX.Element {
  return (
    <select id={props.id} name="dst" value={props.value} onChange={(event) => props.onValue(event.currentTarget.value)}>
      {Object.entries(s.dstRules).map(([rule, words]) => (
        <option key={rule} value={rule}>
          {words}
        </option>
      ))}
    </select>
  );
}
