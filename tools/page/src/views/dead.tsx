// Dead letters: first by what they died of, then one by one.
import type { JSX } from 'preact';
import type { Place } from '../core/router.js';
import { useMayChange } from '../core/session.js';
import { t } from '../strings.js';
import { j } from '../strings/jobs.js';
import { View } from '../ui/parts.js';
import { Causes } from '../jobs/causes.js';
import { ImportDead } from '../jobs/import.js';
import { JobList } from '../jobs/list.js';
import { RunningBatches } from '../jobs/running.js';
import { whereOf } from '../jobs/search.js';

export function DeadView(props: { place: Place }): JSX.Element {
  const mayChange = useMayChange();
  return (
    <View title={t.nav.dead} aside={mayChange ? <ImportDead /> : undefined}>
      <RunningBatches />
      <Causes asked={whereOf(props.place.query.get('search') ?? '')} />
      <h2>{j.list}</h2>
      <JobList place={props.place} of="dead" label={t.nav.dead} />
    </View>
  );
}
