import { INDEX_COLUMNS, type Store } from '../../../webtable/index.js';

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
  const [state, at] = await read(store);
  await put(store, `running ${now}`);
  if (state === undefined) return 0;
  // A clock that was set back must not hold the fetcher up.
  return state === 'running' ? now : Math.min(Number(at) || 0, now);
}

/** The last fetch on a table. */
export interface LastFetch {
  /** `running` also when it was killed. */
  readonly state: 'running' | 'ended';
  /** When it began, or ended; in ms since the epoch. */
  readonly at: number;
}

/** The last fetch; undefined where there was none. */
export async function lastFetch(store: Store): Promise<LastFetch | undefined> {
  const [state, at] = await read(store);
  return state === undefined ? undefined : { state: state === 'running' ? state : 'ended', at: Number(at) || 0 };
}

/** Notes that a fetch has ended and nothing is in flight. */
export async function endFetch(store: Store, now: number): Promise<void> {
  await put(store, `ended ${now}`);
}

async function read(store: Store): Promise<string[]> {
  const [row] = await store.get('meta', [KEY], [INDEX_COLUMNS.fetcherRun]);
  const cell = row?.cells.get(INDEX_COLUMNS.fetcherRun);
  return cell ? Buffer.from(cell).toString('latin1').split(' ') : [];
}

async function put(store: Store, text: string): Promise<void> {
  await store.write('meta', [{ key: KEY, put: new Map([[INDEX_COLUMNS.fetcherRun, Buffer.from(text, 'latin1')]]) }]);
}
