// What may be done to series, to one or to many.
import { send } from '../core/api.js';
import { told, type Deed } from '../operate/deeds.js';
import { s } from '../strings/series.js';

export type SeriesVerb = 'pause' | 'resume' | 'fire' | 'end' | 'rm';

const kWords: Record<SeriesVerb, { label: string; text: string; isDangerous?: boolean }> = {
  pause: { label: s.pause, text: s.pauseText },
  resume: { label: s.resume, text: s.resumeText },
  fire: { label: s.fire, text: s.fireText },
  end: { label: s.end, text: s.endText, isDangerous: true },
  rm: { label: s.remove, text: s.removeText, isDangerous: true },
};

export function seriesDeed(verb: SeriesVerb, keys: readonly string[], onDone?: () => void): Deed {
  const { label, text, isDangerous } = kWords[verb];
  const what = keys.length === 1 ? (keys[0] ?? '') : s.these(keys.length);
  return {
    title: `${label}: ${what}`,
    label,
    text,
    isDangerous: isDangerous ?? false,
    does: async (reason) => {
      const answers = await send<{ series: string; answer: string; why: string | null }[]>('POST', `series/${verb}`, { keys, ...(verb === 'rm' || verb === 'end' ? { yes: true } : {}) }, reason);
      const words = `${what}: ${told(answers)}`;
      onDone?.();
      return words;
    },
  };
}
