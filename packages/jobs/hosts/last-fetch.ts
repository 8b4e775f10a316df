import type { Tables } from '../../../webtable/index.js';

/**
 * Notes that a fetch begins, so that a new one keeps its distance to the one before.
 * @returns the moment, in ms since the epoch, after which each queue waits its delay first; 0 when there was none
 */
export async function beginFetch({ runs }: Pick<Tables, 'runs'>, now: number): Promise<number> {
  const last = await runs.lastFetch();
  await runs.putLastFetch({ state: 'running', at: now });
  if (!last) return 0;
  // A clock that was set back must not hold the fetcher up. One that was killed may have asked until just now.
  return last.state === 'running' ? now : Math.min(last.at, now);
}

/** Notes that a fetch has ended and nothing is in flight. */
export async function endFetch({ runs }: Pick<Tables, 'runs'>, now: number): Promise<void> {
  await runs.putLastFetch({ state: 'ended', at: now });
}
