import type { JSX } from 'preact';
import type { Place } from '../core/router.js';
import { t } from '../strings.js';
import { View } from '../ui/parts.js';

export function JobView(_: { place: Place }): JSX.Element {
  return <View title={t.nav.jobs} />;
}
