import { openTables, type OpenContext } from '../../packages/webcrawl/internal.js';
import { expect } from 'vitest';
import { expireLeases } from './hold-slots.js';
import { testCrawl } from './test-crawl.js';
import { TimedRows, TimedStore } from './stores/timed-store.js';
import { fakeWeb, type FakePage } from './web/fake-web.js';
import { Killed, WorkerStore } from './worker-store.js';

/** Number of slots of a {@link sharedTable}. */
export const SLOTS = 3;
const turn = async (): Promise<void> => {};

/** A site in a slot of a {@link sharedTable}. */
export function hostIn(wanted: string): string {
  for (let i = 0; ; i++) {
    const host = `h${i}.com`;
    let hash = 0;
    for (const char of `com.h${i}`) hash = (Math.imul(hash, 31) + char.charCodeAt(0)) | 0;
    if ((hash & 0x7fffffff) % SLOTS === Number(wanted)) return `http://${host}/`;
  }
}

/** A table that workers share, and jobs that are killed on it. */
export async function sharedTable(pages: Record<string, FakePage | string>, settings: Record<string, unknown>) {
  const rows = new TimedRows();
  const connect = () => new TimedStore(() => 0, { turn }, rows);
  const tables = await openTables(connect(), { slots: SLOTS });

  /** Changes of killed processes that have not arrived yet. */
  const late: (() => Promise<void>)[] = [];

  /** Runs a job as a process does. @param killAt the call of the store at which the process is killed */
  async function run<T>(job: (crawl: OpenContext) => Promise<T>, killAt?: number): Promise<T> {
    const store = new WorkerStore(connect(), killAt === undefined ? undefined : { at: killAt });
    const crawl = await testCrawl(fakeWeb(pages), { store, settings });
    try {
      return await job(crawl);
    } finally {
      late.push(...store.late);
      crawl.tables.leases.stop();
      // The leases of a killed process have expired.
      await expireLeases(tables);
    }
  }

  /**
   * Runs a job, and kills it at a call. Then `next` runs, by default the same job. A change that the killed job had sent arrives after that.
   * @returns false: the job ended before that call
   */
  async function killed(job: (crawl: OpenContext) => Promise<unknown>, killAt: number, next = job): Promise<boolean> {
    const error = await run(job, killAt).then(
      () => undefined,
      (thrown: unknown) => thrown,
    );
    if (error === undefined) return false;
    expect(error).toBeInstanceOf(Killed);
    await run(next);
    for (const arrive of late.splice(0)) await arrive();
    return true;
  }

  return { run, killed, tables };
}
