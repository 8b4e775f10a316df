import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { ROOT } from '../support/docs/source-files.js';
import { SETTINGS, type MadeHosts } from './made-hosts.js';

export const COMMAND = join(ROOT, 'dist/bin/webcrawl.js');

/** The arguments of `webcrawl crawl` for the test's hosts. */
export function crawlArgs({ seeds }: MadeHosts, table: string): string[] {
  const settings = Object.entries(SETTINGS).flatMap(([key, value]) => ['--set', `${key}=${value}`]);
  return [...seeds, '--stay', 'any', '--table', table, ...settings];
}

/** Workers of one crawl, started again as a scheduler does. */
export interface Workers {
  /** The running processes. */
  pids(): readonly number[];
  /** Resolves when all workers have ended by themselves. @throws Error if one ends with another status than 0 and 75 */
  readonly ended: Promise<void>;
}

/** Starts a worker for each part of the table. A worker that is killed, or ends with 75, is started again. */
export function startWorkers(web: MadeHosts, table: string, count: number): Workers {
  const running = new Set<ChildProcess>();

  async function work(index: number): Promise<void> {
    for (;;) {
      const args = [COMMAND, 'crawl', ...crawlArgs(web, table), '--shard', `${index}/${count}`];
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] });
      running.add(child);
      let err = '';
      child.stderr.on('data', (chunk: Buffer) => (err += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      running.delete(child);
      if (code === 0) return;
      if (code !== null && code !== 75) throw new Error(`worker ${index}/${count} ended with ${code}: ${err}`);
    }
  }

  return {
    pids: () => [...running].flatMap(({ pid }) => pid ?? []),
    ended: Promise.all(Array.from({ length: count }, (_, index) => work(index))).then(() => undefined),
  };
}
