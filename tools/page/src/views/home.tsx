import type { JSX } from 'preact';
import { href, type Place } from '../core/router.js';
import { useResource } from '../core/resource.js';
import { useLive, type Stats } from '../core/live.js';
import { count } from '../core/time.js';
import { t } from '../strings.js';
import { Card, Loaded, View } from '../ui/parts.js';

export function HomeView(_: { place: Place }): JSX.Element {
  const live = useLive();
  const asked = useResource<Stats>('stats', {}, { every: 5 });
  const stats = live.stats ?? asked.data;
  return (
    <View title={t.nav.home}>
      <Loaded isThere={stats !== undefined} error={asked.error} onRetry={asked.reload}>
        <div class="tiles">
          {Object.entries(stats?.places ?? {}).map(([place, jobs]) => (
            <Card key={place}>
              <a class="tile" href={href(['jobs'], { place })}>
                <strong data-place={place}>{count(jobs)}</strong>
                <span>{t.places[place as keyof typeof t.places]}</span>
              </a>
            </Card>
          ))}
        </div>
      </Loaded>
    </View>
  );
}
