// Schedules: what repeats, when it comes next, and what may be done about it.
import type { JSX } from 'preact';
import { href, type Place } from '../core/router.js';
import { SeriesDetail } from '../series/detail.js';
import { SeriesList } from '../series/list.js';
import { Calendars, Groups, TryText } from '../series/rest.js';
import { t } from '../strings.js';
import { s } from '../strings/series.js';
import { Tabs, View } from '../ui/parts.js';

type Part = 'series' | 'groups' | 'calendars' | 'try';

export function SeriesView(props: { place: Place }): JSX.Element {
  const [, name] = props.place.path;
  if (name !== undefined) {
    return <SeriesDetail key={name} name={name} />;
  }
  const asked = props.place.query.get('show');
  const part: Part = asked === 'groups' || asked === 'calendars' || asked === 'try' ? asked : 'series';
  return (
    <View title={t.nav.series}>
      <Tabs<Part>
        label={s.tabs}
        value={part}
        href={(value) => href(['series'], value === 'series' ? {} : { show: value })}
        choices={[
          { value: 'series', label: s.series },
          { value: 'groups', label: s.groups },
          { value: 'calendars', label: s.calendars },
          { value: 'try', label: s.tryText },
        ]}
      />
      {part === 'series' && <SeriesList place={props.place} />}
      {part === 'groups' && <Groups />}
      {part === 'calendars' && <Calendars place={props.place} />}
      {part === 'try' && <TryText place={props.place} />}
    </View>
  );
}
