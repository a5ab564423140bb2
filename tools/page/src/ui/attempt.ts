// Something that is asked of the service and may be refused: while it goes on it cannot be asked again, and a refusal is kept.
import { useState } from 'preact/hooks';
import { ApiError } from '../core/api.js';

interface Attempt {
  isBusy: boolean;
  error: ApiError | undefined;
  attempt: (deed: () => Promise<void>) => Promise<void>;
}

export function useAttempt(): Attempt {
  const [error, setError] = useState<ApiError>();
  const [isBusy, setBusy] = useState(false);
  const attempt = async (deed: () => Promise<void>): Promise<void> => {
    setBusy(true);
    setError(undefined);
    try {
      await deed();
    } catch (problem) {
      if (!(problem instanceof ApiError)) {
        throw problem;
      }
      setError(problem);
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, error, attempt };
}
