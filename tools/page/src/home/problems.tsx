// What is wrong, in words, with a link to where it is mended.
import type { JSX } from 'preact';
import type { ServiceNode, Stats } from '../core/live.js';
import { useOptional } from '../core/optional.js';
import { href } from '../core/router.js';
import { ago } from '../core/time.js';
import { t } from '../strings.js';
import { j } from '../strings/jobs.js';
import { Card } from '../ui/parts.js';
import { quoted } from '../jobs/search.js';
import { useSeldom } from '../jobs/seldom.js';

interface Finding {
  check: string;
  level: string;
  text: string;
  advice: string | null;
}

interface Incident {
  group: string;
  incidents: number;
  handlerType: string | null;
  errorClass: string | null;
  message: string | null;
  lastTime: string | null;
}

interface Problem {
  key: string;
  isBad: boolean;
  text: string;
  advice?: string | null;
  to: string;
  label: string;
}

/** Where the doctor's checks are mended. */
const kWhere: Record<string, readonly [string[], string]> = {
  nodes: [['nodes'], j.problems.toNodes],
  handlers: [['types'], j.problems.toTypes],
  'external workers': [['nodes'], j.problems.toWorkers],
  'waiting': [['jobs'], j.problems.toWaiting],
  timers: [['jobs'], t.places.timer],
  'turns of series': [['series'], t.nav.series],
  'dead letters': [['dead'], t.nav.dead],
  incidents: [['incidents'], t.nav.incidents],
};

/** A node that does not renew its lease. */
export const isGone = (node: ServiceNode): boolean =>
  /^(gone|lost|dead|expired)$/.test(node.state) || (node.leaseUntil !== null && Date.parse(node.leaseUntil) < Date.now() - 2000);

const shortName = (node: string): string => node.split(':').slice(0, 2).join(', process ');

function problemsOf(stats: Stats | undefined, nodes: readonly ServiceNode[] | undefined, findings: readonly Finding[], incidents: readonly Incident[]): Problem[] {
  const found: Problem[] = [];
  for (const node of nodes ?? []) {
    if (isGone(node)) {
      found.push({ key: `gone ${node.node}`, isBad: true, text: j.problems.gone(shortName(node.node), node.leaseUntil ? ago(node.leaseUntil) : j.problems.long), to: href(['nodes']), label: j.problems.toNodes });
    } else if (node.standstill) {
      found.push({ key: `still ${node.node}`, isBad: true, text: j.problems.still(shortName(node.node), node.standstill), to: href(['nodes']), label: j.problems.toNodes });
    }
  }
  if (nodes?.length === 0) {
    found.push({ key: 'none', isBad: true, text: j.problems.noNode, to: href(['nodes']), label: j.problems.toNodes });
  }
  const causes = incidents.slice(0, 3);
  for (const cause of causes) {
    found.push({
      key: `incident ${cause.group}`,
      isBad: true,
      text: j.problems.incidents(cause.incidents, cause.handlerType, [cause.errorClass, cause.message].filter(Boolean).join(': ')),
      ...(cause.lastTime ? { advice: j.problems.lastOne(ago(cause.lastTime)) } : {}),
      to: href(['dead'], { search: cause.handlerType ? `type:${quoted(cause.handlerType)}` : undefined }),
      label: j.problems.toCauses,
    });
  }
  if (incidents.length > causes.length) {
    found.push({ key: 'incidents', isBad: true, text: j.problems.moreCauses(incidents.length - causes.length), to: href(['incidents']), label: t.nav.incidents });
  }
  const isTold = (check: string): boolean => (check === 'dead letters' || check === 'incidents') && causes.length > 0;
  for (const finding of findings.filter((each) => each.level !== 'ok' && !isTold(each.check))) {
    const job = /^jobstrand job explain (\S+)$/.exec(finding.advice ?? '')?.[1];
    const [path, label] = job ? [['job', job], j.why] : (kWhere[finding.check] ?? [['doctor'], t.nav.doctor]);
    found.push({ key: `doctor ${finding.check} ${finding.text}`, isBad: finding.level !== 'remark', text: `${finding.check[0]?.toUpperCase() ?? ''}${finding.check.slice(1)}: ${finding.text}`, advice: job ? null : finding.advice, to: href(path), label });
  }
  if (findings.length === 0) {
    // Without a doctor, what the counts know.
    for (const each of (stats?.unserved ?? []).slice(0, 5)) {
      found.push({ key: `unserved ${each.handlerType}`, isBad: true, text: j.problems.nobody(each.handlerType, each.jobs), to: href(['jobs'], { search: `type:${quoted(each.handlerType)}` }), label: j.problems.toJobs });
    }
  }
  return found.sort((a, b) => Number(b.isBad) - Number(a.isBad));
}

export function Problems(props: { stats: Stats | undefined; nodes: readonly ServiceNode[] | undefined; isAsked: boolean }): JSX.Element {
  // Both read more than counts: seldom.
  const doctor = useOptional<Finding[]>('doctor', {}, 10);
  const incidents = useSeldom<Incident[]>('incidents', { limit: 50 }, 4);
  const isAsked = (doctor.data ?? doctor.error ?? (doctor.isAbsent || undefined)) !== undefined && (incidents.data ?? incidents.error) !== undefined && props.isAsked;
  const problems = problemsOf(props.stats, props.nodes, doctor.data ?? [], incidents.data ?? []);
  if (!isAsked && problems.length === 0) {
    return <Card title={j.wrong}>…</Card>;
  }
  if (problems.length === 0) {
    return (
      <Card tone="good">
        <p data-health="well">
          <strong>{doctor.isAbsent ? j.nothingSeen : j.allWell}</strong> <span class="quiet">{doctor.isAbsent ? j.nothingSeenHelp : j.allWellHelp}</span>
        </p>
      </Card>
    );
  }
  return (
    <Card title={j.wrong} tone={problems.some((each) => each.isBad) ? 'bad' : 'warn'}>
      <ul class="problems" data-health="wrong">
        {problems.map((problem) => (
          <li key={problem.key} class={problem.isBad ? 'is-bad' : 'is-warn'}>
            <span>{problem.text}</span> {problem.advice && <span class="quiet">({problem.advice})</span>} <a href={problem.to}>{problem.label}</a>
          </li>
        ))}
      </ul>
    </Card>
  );
}
