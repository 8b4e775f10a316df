import { INDEX_COLUMNS, type Store } from '../../webtable/index.js';

/**
 * When the fetcher last may have asked anyone, so that a new fetch keeps its distance to the one before. The
 * record is `running` from the start to the clean end of a fetch; one that was killed leaves it so.
 */
const KEY = 'fetcher';

/**
 * Notes that a fetch begins.
 * @returns the moment, in ms since the epoch, after which each queue waits its delay first; 0 when there was none
 */
export async function beginFetch(store: Store, now: number): Promise<number> {
  const [row] = await store.get('meta', [KEY], [INDEX_COLUMNS.fetcherRun]);
  const cell = row?.cells.get(INDEX_COLUMNS.fetcherRun);
  const [state, at] = cell ? Buffer.from(cell).toString('latin1').split(' ') : [];
  await put(store, `running ${now}`);
  if (state === undefined) return 0;
  // A clock that was set back must not hold the fetcher up.
  return state === 'running' ? now : Math.min(Number(at) || 0, now);
}

/** Notes that a fetch has ended and nothing is in flight. */
export async function endFetch(store: Store, now: number): Promise<void> {
  await put(store, `ended ${now}`);
}

async function put(store: Store, text: string): Promise<void> {
  await store.write('meta', [{ key: KEY, put: new Map([[INDEX_COLUMNS.fetcherRun, Buffer.from(text, 'latin1')]]) }]);
}
