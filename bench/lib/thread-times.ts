import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';

export const NOTES_FOLDER = 'BENCH_THREAD_NOTES';
/** The file in it with {@link ThreadNotes}. Every other thread that runs JavaScript leaves a file named `worker-<id>`. */
export const NOTES_FILE = 'threads.json';

/** Notes of the main thread of a process on all its threads, by their ids in the system. */
export interface ThreadNotes {
  readonly main: string;
  /** The threads that existed at the start: the main thread, those of the engine, and perhaps some of the pool. */
  readonly first: readonly string[];
  readonly pool: readonly string[];
  readonly seconds: Readonly<Record<string, number>>;
  readonly total: number;
}

/** CPU seconds by kind of thread. Undefined: there are no notes, because the system does not provide them. */
export async function readThreadTimes(folder: string): Promise<Map<string, number> | undefined> {
  const names = await readdir(folder);
  if (!names.includes(NOTES_FILE)) return undefined;
  const { main, first, pool, seconds, total } = JSON.parse(
    await readFile(join(folder, NOTES_FILE), 'utf8'),
  ) as ThreadNotes;

  const kindOf = (thread: string): string => {
    if (thread === main) return 'main thread';
    if (names.includes(`worker-${thread}`)) return 'parse threads';
    if (pool.includes(thread)) return 'pool of libuv: reads and writes of LevelDB, files';
    return first.includes(thread) ? 'V8: compiling, garbage collection' : 'compaction of LevelDB';
  };
  const kinds = new Map<string, number>();
  for (const [thread, value] of Object.entries(seconds)) {
    const kind = kindOf(thread);
    kinds.set(kind, (kinds.get(kind) ?? 0) + value);
  }
  const seen = Object.values(seconds).reduce((sum, value) => sum + value, 0);
  return kinds.set('not seen: threads that have ended', Math.max(0, total - seen));
}
