// One job: where it stands and why, what happened to it, what it carries, and what may be done.
import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { segment } from '../core/api.js';
import { useList, useResource } from '../core/resource.js';
import { href, type Place } from '../core/router.js';
import { useMayChange } from '../core/session.js';
import { span } from '../core/time.js';
import { t } from '../strings.js';
import { j } from '../strings/jobs.js';
import { Badge, Card, Copy, Empty, ErrorBox, Time, View } from '../ui/parts.js';
import { JsonTree } from '../ui/json.js';
import { commandOf, curlOf } from '../jobs/command.js';
import { DeedButtons, deedsOfOne } from '../jobs/deeds.js';
import { millisecondsOf, type Job } from '../jobs/model.js';
import { eventTone, Output, type LogLine } from '../jobs/lines.js';

interface Reason {
  code: string;
  text: string;
  advice: string | null;
}

interface Explanation extends Reason {
  reasons: Reason[];
}

interface ShownJob extends Job {
  suspendedBy?: { scope: string; id: string; since: string }[] | null;
}

export function JobView(props: { place: Place }): JSX.Element {
  const id = props.place.path[1] ?? '';
  const mayChange = useMayChange();
  const found = useResource<ShownJob>(id ? `jobs/${segment(id)}` : undefined);
  const log = useList<LogLine>(id ? 'log' : undefined, { job: id, limit: 200 }, { every: 2 });
  const isGone = found.error?.status === 404;
  const job = isGone ? undefined : found.data;
  const isThere = job !== undefined && job.place !== 'done';
  const why = useResource<Explanation>(isThere ? `jobs/${segment(id)}/explanation` : undefined, {}, { every: 2 });
  return (
    <View
      title={id}
      aside={
        <>
          <Copy text={id} label={j.copyId} />
          <Copy label={j.copyCommand} text={commandOf('jobs/show', { ids: [id] })} />
          <Copy label={j.copyCurl} text={curlOf('GET', `jobs/${segment(id)}`)} />
        </>
      }
    >
      {found.error && !isGone && <ErrorBox error={found.error} onRetry={found.reload} />}
      {isGone && (
        <Card tone="warn">
          <p>{j.gone}</p>
        </Card>
      )}
      {job && (
        <>
          <p class="row">
            <Badge tone={job.place === 'dead' ? 'bad' : job.place === 'done' ? 'good' : 'plain'}>{t.places[job.place]}</Badge>
            {job.lockOwner && <Badge tone="good">{j.locked}</Badge>}
            <a href={href(['jobs'], { search: `type:${job.handlerType ?? ''}` })}>{job.handlerType}</a>
          </p>
          {mayChange && isThere && (
            <div class="row deeds" role="group" aria-label={j.deedsOfJob}>
              <DeedButtons deeds={deedsOfOne(job)} targets={{ place: job.place, jobs: [job] }} onDone={() => { found.reload(); why.reload(); }} />
            </div>
          )}
          {isThere && <Why job={job} explanation={why.data} />}
          {job.news && <News news={job.news} />}
          <div class="columns">
            <div>
              {job.payload !== undefined && (
                <Card title={j.payloadTitle}>
                  <JsonTree value={job.payload} label={j.payloadTitle} />
                </Card>
              )}
              <Card title={j.facts}>
                <Facts job={job} />
              </Card>
            </div>
            <div>
              {job.exceptionMessage && (
                <Card title={j.failure} tone="bad">
                  <p class="message">{job.exceptionMessage}</p>
                  {job.exceptionDetails && (
                    <details open>
                      <summary>{j.output}</summary>
                      <pre tabIndex={0}>{job.exceptionDetails}</pre>
                    </details>
                  )}
                </Card>
              )}
              <Card title={j.timeline}>
                <TimeLine job={job} lines={log.data?.items ?? []} />
              </Card>
            </div>
          </div>
        </>
      )}
      {isGone && (
        <Card title={j.timeline}>
          <p class="quiet">{log.data?.items.length === 0 ? j.noLog : j.goneLog}</p>
          <TimeLine lines={log.data?.items ?? []} />
        </Card>
      )}
      {!found.error && !found.data && <Empty>{t.loading}</Empty>}
    </View>
  );
}

/** How far the run is, as it tells. */
function News({ news }: { news: NonNullable<Job['news']> }): JSX.Element {
  const percent = news.progress === null ? undefined : Math.round(news.progress * 100);
  return (
    <Card title={j.progress} tone="good">
      {percent !== undefined && (
        <div class="row">
          <div class="bar long" role="progressbar" aria-label={j.progress} aria-valuenow={percent} aria-valuemin={0} aria-valuemax={100}>
            <div style={{ width: `${percent}%` }} />
          </div>
          <strong>{percent} %</strong>
        </div>
      )}
      <p data-news="note">
        {news.note} <span class="quiet">{j.toldAt} <Time of={news.told} /></span>
      </p>
      {news.lines.length > 0 && <pre tabIndex={0} data-news="lines">{news.lines.join('\n')}</pre>}
    </Card>
  );
}

function Why(props: { job: ShownJob; explanation: Explanation | undefined }): JSX.Element | null {
  const { explanation } = props;
  if (!explanation) {
    return null;
  }
  const isRunning = ['running', 'held', 'held_by_worker'].includes(explanation.code);
  const more = explanation.reasons.filter((each) => each.text !== explanation.text);
  const advice = (reason: Reason): JSX.Element | false => Boolean(reason.advice) && (
    <p>
      <span class="quiet">{j.advice}</span> {reason.advice}
    </p>
  );
  return (
    <Card title={isRunning ? j.whyRuns : j.why} {...(isRunning ? { tone: 'good' as const } : props.job.place === 'dead' ? { tone: 'bad' as const } : {})} aside={<Copy label={j.copyCommand} text={commandOf('jobs/explain', { ids: [props.job.id] })} />}>
      <div data-why={explanation.code}>
        <p>
          <strong>{sentence(explanation.text)}</strong>
        </p>
        {advice(explanation)}
        {more.length > 0 && (
          <>
            <p class="quiet">{j.also}</p>
            <ul class="reasons">
              {more.map((reason) => (
                <li key={reason.text}>
                  {sentence(reason.text)}
                  {advice(reason)}
                </li>
              ))}
            </ul>
          </>
        )}
        {props.job.suspendedBy?.map((by) => (
          <p key={by.id}>
            {j.suspendedBy(by.scope, by.id)} <Time of={by.since} />
          </p>
        ))}
      </div>
    </Card>
  );
}

const sentence = (text: string): string => (text ? `${text[0]?.toUpperCase()}${text.slice(1)}${text.endsWith('.') ? '' : '.'}` : '');

const kTimes = ['dueDate', 'createTime', 'failedTime', 'lockExpirationTime', 'runningSince', 'ended'];
const kSearched: Record<string, string> = { tenantId: 'tenant', processInstanceId: 'instance', rootProcessInstanceId: 'root-instance', processDefinitionId: 'definition', elementId: 'element', category: 'category' };

function Facts(props: { job: Job }): JSX.Element {
  const values = props.job as unknown as Record<string, unknown>;
  return (
    <dl class="facts">
      {Object.entries(j.factNames).map(([name, label]) => {
        const value = name === 'waited' || name === 'duration' ? millisecondsOf(props.job, name) : values[name];
        if (value === null || value === undefined || value === '') {
          return null;
        }
        const word = kSearched[name];
        const text = String(value);
        return (
          <>
            <dt>{label}</dt>
            <dd data-fact={name}>
              {kTimes.includes(name) ? (
                <Time of={text} />
              ) : name === 'waited' || name === 'duration' ? (
                span(Number(value))
              ) : name === 'series' ? (
                <a href={href(['series', text])}>{text}</a>
              ) : word ? (
                <a href={href(['jobs'], { search: `${word}:${/\s|"/.test(text) ? JSON.stringify(text) : text}` })}>{text}</a>
              ) : (
                text
              )}
            </dd>
          </>
        );
      })}
    </dl>
  );
}

/** What happened, the first at the top, and what comes next. */
function TimeLine(props: { job?: Job; lines: readonly LogLine[] }): JSX.Element {
  const { job } = props;
  const lines = [...props.lines].reverse();
  const isCreationLogged = lines.some((line) => line.event === 'created');
  return (
    <ol class="timeline">
      {job?.createTime && !isCreationLogged && (
        <li>
          <p>
            <strong>{j.events['created']}</strong> <Time of={job.createTime} />
          </p>
        </li>
      )}
      {lines.map((line) => (
        <li key={line.id} class={eventTone(line.event)} data-event={line.event}>
          <LineHead line={line} />
          {line.exceptionMessage && <p class="message">{line.exceptionMessage}</p>}
          {line.event === 'failed' && <Output line={line} />}
        </li>
      ))}
      {job?.place === 'done' && !lines.some((line) => line.event === 'succeeded') && (
        <li class="good">
          <p>
            <strong>{j.events['succeeded']}</strong> <Time of={job.ended} /> {millisecondsOf(job, 'duration') !== undefined && j.inTime(span(millisecondsOf(job, 'duration') ?? 0))} {job.node && `${j.ranOn} ${job.node}`}
          </p>
        </li>
      )}
      {job?.dueDate && job.place === 'timer' && (
        <li class="next">
          <p>
            <strong>{job.attempts ? sentence(j.nextAttempt).replace('.', '') : j.willRun}</strong> <Time of={job.dueDate} />
            {job.retries !== undefined && <span class="quiet"> {j.attemptsLeft(job.retries)}</span>}
          </p>
        </li>
      )}
    </ol>
  );
}

function LineHead(props: { line: LogLine }): JSX.Element {
  const { line } = props;
  const [isLong, setLong] = useState(false);
  return (
    <p>
      <strong>{line.attempt !== null && line.event === 'failed' ? j.attemptFailed(line.attempt) : (j.events[line.event] ?? line.event)}</strong> <Time of={line.time} />{' '}
      {line.durationMs !== null && <span class="quiet">{j.inTime(span(line.durationMs))} </span>}
      {line.node && (
        <button class="quiet-button" title={line.node} onClick={() => setLong(!isLong)}>
          {j.ranOn} {isLong ? line.node : line.node.split(':').slice(0, 2).join(':')}
        </button>
      )}
      {line.reason && <Badge>{line.reason.replace(/_/g, ' ')}</Badge>}
    </p>
  );
}
