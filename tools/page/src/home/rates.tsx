// Success and failure, waits and run times over the last minutes or hours, with what people did to the service.
import type { JSX } from 'preact';
import type { ServiceNode } from '../core/live.js';
import { filled, kSeconds, type Last, type Rate } from '../core/rates.js';
import { href } from '../core/router.js';
import { exactly, span } from '../core/time.js';
import { j } from '../strings/jobs.js';
import { Card, Tabs } from '../ui/parts.js';
import { Chart, type Mark } from '../ui/chart.js';
import { runLines, quantileLines } from '../ui/ratelines.js';
import { useOptional } from '../core/optional.js';
import type { Every } from '../core/resource.js';
import { useSeldomList } from '../jobs/seldom.js';

/** A day is many rows, in which a second makes no difference. */
export const kEvery: Record<Last, Every> = { PT10M: 'second', PT1H: 'second', PT24H: 15 };
const kMarks = 12;

export const isLast = (text: string | null): text is Last => text !== null && text in kSeconds;

interface Audited {
  time: string;
  who: string;
  action: string;
  changed: number;
  reason: string | null;
}

/** Those that lie close together are one. */
function marksOf(audit: readonly Audited[], nodes: readonly ServiceNode[], last: Last): Mark[] {
  const since = Date.now() / 1000 - kSeconds[last];
  const all = [
    ...audit.map((each) => ({ time: Date.parse(each.time) / 1000, label: `${each.who}: ${each.action}` })),
    ...nodes.map((node) => ({ time: Date.parse(node.started) / 1000, label: j.joined(node.node.split(':')[0] ?? node.node) })),
  ]
    .filter((mark) => mark.time >= since)
    .sort((a, b) => a.time - b.time);
  const marks: (Mark & { n: number })[] = [];
  for (const mark of all) {
    const before = marks[marks.length - 1];
    if (before && mark.time - before.time < kSeconds[last] / kMarks) {
      before.n += 1;
      before.label = `${before.label.replace(/ \+\d+$/, '')} +${before.n}`;
    } else {
      marks.push({ ...mark, n: 0 });
    }
  }
  return marks;
}

const perSecond = (value: number): string => (value === 0 ? '0' : value < 10 ? value.toFixed(value < 1 ? 2 : 1) : Math.round(value).toLocaleString());
const seconds = (value: number): string => span(value * 1000);

export function Rates(props: { last: Last; nodes: readonly ServiceNode[] | undefined }): JSX.Element | null {
  const { last } = props;
  const found = useOptional<Rate[]>('rates', { last }, kEvery[last]);
  // Rounded, so that the same question is asked again, and not a new one each time.
  const step = (kSeconds[last] / 20) * 1000;
  const since = new Date(Math.floor((Date.now() - kSeconds[last] * 1000) / step) * step).toISOString();
  const audit = useSeldomList<Audited>(found.isAbsent ? undefined : 'audit', { since, limit: 50 }, 4);
  if (found.isAbsent) {
    return null; // A token that may not see all of them.
  }
  const spans = found.data ? filled(found.data, last) : [];
  const times = spans.map((each) => each.time);
  const marks = marksOf(audit.data?.items ?? [], props.nodes ?? [], last);
  const lines = marks.map((mark) => ({ ...mark, label: '' }));
  return (
    <>
      <Tabs label={j.lastOf} choices={(['PT10M', 'PT1H', 'PT24H'] as const).map((value) => ({ value, label: j.last[value] ?? value }))} value={last} href={(value) => href([], { last: value })} />
      <Card>
        <Chart
          title={j.success}
          times={times}
          lines={runLines(spans, 1)}
          marks={marks}
          format={perSecond}
        />
        {marks.length > 0 && (
          <ul class="marks" aria-label={j.marks}>
            {marks.map((mark) => (
              <li key={mark.time}>
                <time dateTime={new Date(mark.time * 1000).toISOString()}>{exactly(new Date(mark.time * 1000))}</time> {mark.label}
              </li>
            ))}
          </ul>
        )}
      </Card>
      <div class="columns">
        <Card>
          <Chart title={j.waits} times={times} lines={quantileLines(spans, 'wait')} marks={lines} format={seconds} />
        </Card>
        <Card>
          <Chart title={j.runs} times={times} lines={quantileLines(spans, 'run')} marks={lines} format={seconds} />
        </Card>
      </div>
    </>
  );
}
