// All jobs, place by place.
import type { JSX } from 'preact';
import { href, type Place } from '../core/router.js';
import { useStats } from '../core/told.js';
import { t } from '../strings.js';
import { j } from '../strings/jobs.js';
import { Tabs, View, type Choice } from '../ui/parts.js';
import { JobList } from '../jobs/list.js';

const kPlaces = ['executable', 'timer', 'external', 'suspended', 'dead'] as const;
type Tab = (typeof kPlaces)[number] | 'done' | 'all';

export function JobsView(props: { place: Place }): JSX.Element {
  const { query } = props.place;
  const { stats } = useStats();
  const wanted = (query.get('place') ?? (query.get('search') ? 'all' : 'executable')) as Tab;
  const tabs: Choice<Tab>[] = [
    ...kPlaces.map((place) => ({ value: place, label: t.places[place], count: stats?.places[place], isMore: stats?.lookedAt?.[place] !== undefined })),
    { value: 'done', label: t.places.done },
    { value: 'all', label: j.anywhere },
  ];
  const of = tabs.some((tab) => tab.value === wanted) ? wanted : 'executable';
  return (
    <View title={t.nav.jobs}>
      <Tabs
        label={t.nav.jobs}
        choices={tabs}
        value={of}
        href={(place) => href(['jobs'], { place, search: of === 'done' || place === 'done' ? undefined : (query.get('search') ?? undefined), limit: query.get('limit') ?? undefined })}
      />
      <JobList key={of} place={props.place} of={of} label={`${t.nav.jobs}: ${tabs.find((tab) => tab.value === of)?.label ?? of}`} />
    </View>
  );
}
