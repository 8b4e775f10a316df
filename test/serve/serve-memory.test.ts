import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { get, Agent } from 'node:http';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { jobs, openContext, rowKeyOf } from '../../packages/webcrawl/internal.js';
import { requireCommand, startCommand } from '../support/command-process.js';
import { changeRows } from '../support/stores/put-rows.js';
import { testFolder } from '../support/files/temp-folder.js';

const LONG = 300_000;
const PAGES = 110;
const AT_ONCE = 200;
/** Maximum memory of the serving process in bytes, including Node itself. */
const MOST = 600e6;
const urlOf = (i: number): string => `http://h${i % 40}.example/${i}`;

let folder: string;
let child: ChildProcessWithoutNullStreams | undefined;
beforeAll(requireCommand);
beforeEach(() => void (folder = testFolder()));
afterEach(() => void child?.kill('SIGKILL'));

/** A table of pages with a million characters each, of three bytes, that share a word in their titles and one in their texts. */
async function makeTable(): Promise<void> {
  await using crawl = await openContext({ table: join(folder, 'table') });
  for (let i = 0; i < PAGES; i++) {
    const text = `${'\u3002'.repeat(2 ** 20 - 100)} zebra number${i}`;
    const row = {
      status: 'fetched',
      fetchedAt: 1,
      parseStatus: { code: 'success' },
      title: `Needle ${i}`,
      text,
    } as const;
    const url = urlOf(i);
    await changeRows(crawl, [{ key: rowKeyOf(url), set: { dueAt: Date.now() + 1e9, score: 1, ...row } }]);
  }
  expect((await jobs.index(crawl)).counters).toMatchObject({ added: PAGES });
}

/** Serves the table in another process. @returns its URL */
function startServing(): Promise<string> {
  const started = startCommand(folder, ['serve', '--port', '0']);
  ({ child } = started);
  let err = '';
  return new Promise((resolve, reject) => {
    started.child.stderr.on('data', (chunk: Buffer) => {
      err += chunk.toString();
      const url = /^Search page: (\S+)$/m.exec(err)?.[1];
      if (url !== undefined) resolve(url.replace('localhost', '127.0.0.1'));
    });
    started.child.on('close', () => reject(new Error(`it ended: ${err}`)));
  });
}

/** Requests all paths at once, each with its own connection. @returns the number of answers by status */
async function askAtOnce(paths: readonly string[], url: string): Promise<Record<number, number>> {
  const agent = new Agent({ maxSockets: Infinity });
  const statuses: Record<number, number> = {};
  await Promise.all(
    paths.map(
      (path) =>
        new Promise<void>((resolve, reject) => {
          get(url + path, { agent }, (answer) => {
            statuses[answer.statusCode!] = (statuses[answer.statusCode!] ?? 0) + 1;
            answer.resume().once('close', resolve);
          }).once('error', reject);
        }),
    ),
  );
  agent.destroy();
  return statuses;
}

/** The peak memory of a process. */
async function peakOf(pid: number): Promise<number> {
  return 1024 * Number(/^VmHWM:\s+(\d+) kB$/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))![1]);
}

test.skipIf(process.platform !== 'linux')(
  'pages with a million characters do not fill the memory, however many searches, completions and copies are requested at once',
  async () => {
    await makeTable();
    const url = await startServing();
    const asked = {
      suggest: () => 'api/suggest?q=nee',
      search: (i: number) => `api/search?q=zebra&page=${1 + (i % 10)}&fold=no`,
      page: (i: number) => `search?q=needle+zebra&page=${1 + (i % 10)}`,
      spelling: (i: number) => `api/search?q=zebar+number${i}`,
      copy: (i: number) => `cached?url=${encodeURIComponent(urlOf(i % PAGES))}`,
    };
    for (const [name, pathOf] of Object.entries(asked)) {
      const { 200: answered = 0, 503: busy = 0 } = await askAtOnce(
        Array.from({ length: AT_ONCE }, (_, i) => pathOf(i)),
        url,
      );
      const peak = await peakOf(child!.pid!);
      console.log(name, { answered, busy, peak: Math.round(peak / 1e6) });
      expect(answered + busy, name).toBe(AT_ONCE);
      expect(answered, name).toBeGreaterThan(0);
      expect(peak, name).toBeLessThan(MOST);
    }
  },
  LONG,
);
