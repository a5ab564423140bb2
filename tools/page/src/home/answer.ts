// What a verb that only looks says, asked again at the beat.
import { useEffect, useState } from 'preact/hooks';
import { ApiError, send } from '../core/api.js';
import { useLive } from '../core/live.js';

/** Nothing while it is not there, and where it may not be asked. */
export function useAnswer<T>(path: string, body: unknown, every: number): T | undefined {
  const [answer, setAnswer] = useState<T>();
  const { beat } = useLive();
  useEffect(() => {
    let isWanted = true;
    send<T>('POST', path, body).then(
      (found) => {
        if (isWanted) {
          setAnswer(found);
        }
      },
      (error: unknown) => {
        if (!(error instanceof ApiError)) {
          throw error;
        }
      },
    );
    return () => {
      isWanted = false;
    };
    // The body is the same each time.
  }, [path, Math.floor(beat / every)]);
  return answer;
}
