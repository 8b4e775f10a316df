import { INDEX_COLUMNS, type Store } from '../../webtable/index.js';

/**
 * When the fetcher last may have asked anyone, so that a new run keeps its distance to the one before. The record is
 * `running` from the start to the clean end of a run; a run that was killed leaves it so.
 */
const KEY = 'fetcher';

/**
 * Notes that a run begins.
 * @returns the moment, in ms since the epoch, from which each queue first waits its delay; 0 when there was no run
 */
export async function beginFetcherRun(store: Store, now: number): Promise<number> {
  const [row] = await store.get('meta', [KEY], [INDEX_COLUMNS.fetcherRun]);
  const cell = row?.cells.get(INDEX_COLUMNS.fetcherRun);
  const [state, at] = cell ? Buffer.from(cell).toString('latin1').split(' ') : [];
  await put(store, `running ${now}`);
  if (state === undefined) return 0;
  // A clock that was set back must not hold the fetcher up.
  return state === 'running' ? now : Math.min(Number(at) || 0, now);
}

/** Notes that a run has ended and nothing is in flight. */
export async function endFetcherRun(store: Store, now: number): Promise<void> {
  await put(store, `ended ${now}`);
}

async function put(store: Store, text: string): Promise<void> {
  await store.write('meta', [{ key: KEY, put: new Map([[INDEX_COLUMNS.fetcherRun, Buffer.from(text, 'latin1')]]) }]);
}
