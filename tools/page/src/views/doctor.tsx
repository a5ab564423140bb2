// What is wrong with the database, the nodes and the jobs, the worst first, and what to do.
import type { JSX } from 'preact';
import type { Place } from '../core/router.js';
import { useOptional } from '../core/optional.js';
import { Command, OnItsMachine } from '../operate/parts.js';
import { t } from '../strings.js';
import { doctor as s } from '../strings/operate.js';
import { Badge, Card, Copy, Loaded, View } from '../ui/parts.js';

interface Finding {
  check: string;
  level: string;
  text: string;
  advice: string | null;
}

const kOrder = ['wrong', 'unknown', 'note', 'ok'];
const kTones: Record<string, 'bad' | 'warn' | 'good' | 'plain'> = { wrong: 'bad', unknown: 'warn', note: 'warn', ok: 'good' };

const rank = (finding: Finding): number => {
  const at = kOrder.indexOf(finding.level);
  return at < 0 ? 0 : at;
};

/** What of an advice can be copied as it stands: commands of ours, and SQL. */
export function commandsOf(advice: string): string[] {
  const ours = [...advice.matchAll(/jobstrand [a-z][^;,:]*?(?=[;,:]|$| tells | names )/g)].map(([command]) => command.trim());
  const sql = [...advice.matchAll(/\b(?:GRANT|ALTER|CREATE|VACUUM|ANALYZE|REINDEX|SET|PRAGMA|KILL|COMMIT PREPARED|ROLLBACK PREPARED|SELECT)\b [^;]*(?:;|$)/g)].map(([text]) => text.trim());
  return [...new Set([...ours, ...sql])];
}

export function DoctorView(_: { place: Place }): JSX.Element {
  const found = useOptional<Finding[]>('doctor', {}, 15);
  const findings = [...(found.data ?? [])].sort((a, b) => rank(a) - rank(b));
  const bad = findings.filter((each) => each.level !== 'ok');
  const good = findings.filter((each) => each.level === 'ok');
  const wrong = findings.filter((each) => each.level === 'wrong').length;
  if (found.isAbsent) {
    return <OnItsMachine title={t.nav.doctor} words={s.absent} command={s.command} />;
  }
  return (
    <View title={t.nav.doctor} aside={<button onClick={found.reload}>{s.again}</button>}>
      <Loaded isThere={found.data !== undefined} error={found.error} onRetry={found.reload} onCancel={found.cancel}>
        <Card title={s.wrong(wrong)} tone={wrong > 0 ? 'bad' : 'good'}>
          <Findings findings={bad} />
        </Card>
        {good.length > 0 && (
          <Card title={s.fine(good.length)}>
            <Findings findings={good} />
          </Card>
        )}
      </Loaded>
    </View>
  );
}

function Findings(props: { findings: readonly Finding[] }): JSX.Element {
  return (
    <>
      {props.findings.map((finding) => (
        <div class="finding" key={`${finding.check} ${finding.text}`} data-level={finding.level} data-check={finding.check}>
          <span>
            <Badge tone={kTones[finding.level] ?? 'plain'}>{s.levels[finding.level] ?? finding.level}</Badge>
          </span>
          <p>
            <strong>{finding.check}</strong>: {finding.text}
          </p>
          {finding.advice && (
            <div class="advice">
              <p>
                {finding.advice} <Copy text={finding.advice} />
              </p>
              {commandsOf(finding.advice)
                .filter((each) => each !== finding.advice)
                .map((each) => (
                  <Command key={each} text={each} />
                ))}
            </div>
          )}
        </div>
      ))}
    </>
  );
}
