// Types and limits: what each handler type does, and how much of it may run at once.
import type { JSX } from 'preact';
import { href, type Place } from '../core/router.js';
import { TypeDetail } from '../types/detail.js';
import { LimitList, TypeList } from '../types/list.js';
import { t } from '../strings.js';
import { s } from '../strings/types.js';
import { Tabs, View } from '../ui/parts.js';

export function TypesView(props: { place: Place }): JSX.Element {
  const [, type] = props.place.path;
  if (type !== undefined) {
    return <TypeDetail key={type} type={type} />;
  }
  const part = props.place.query.get('show') === 'limits' ? 'limits' : 'types';
  return (
    <View title={t.nav.types}>
      <Tabs<'types' | 'limits'>
        label={s.tabs}
        value={part}
        href={(value) => href(['types'], value === 'limits' ? { show: value } : {})}
        choices={[
          { value: 'types', label: s.types },
          { value: 'limits', label: s.limits },
        ]}
      />
      {part === 'types' ? <TypeList place={props.place} /> : <LimitList />}
    </View>
  );
}
