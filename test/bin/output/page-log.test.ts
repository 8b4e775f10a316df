import { execFileSync } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { createReadStream } from 'node:fs';
import { open } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import type { Cli } from '../../../bin/cli.js';
import { openPageLog } from '../../../bin/output/page-log.js';
import { testFolder } from '../../support/files/temp-folder.js';

const PAGES = 12_000;
/** A page with a long URL: in total nearly 12 MB, more than the log keeps in memory. */
const page = (n: number) =>
  ({
    time: 0,
    url: `http://a.com/${n}/${'x'.repeat(900)}`,
    status: 'fetched',
    code: 'success',
    from: 'seed',
    batchId: 'b',
  }) as const;

/** The numbers of the pages in a log, and the number of pages left out. */
function read(log: string): { logged: number[]; notLogged: number } {
  const lines = log
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { url?: string; notLogged?: number });
  const logged = lines.flatMap(({ url }) => (url === undefined ? [] : Number(url.split('/')[3])));
  return { logged, notLogged: lines.reduce((sum, { notLogged = 0 }) => sum + notLogged, 0) };
}

/** A standard error whose reader stalls until `drain` is emitted. */
class Stalled extends EventEmitter {
  written = '';
  isFull = true;
  write(data: string | Uint8Array): boolean {
    this.written += String(data);
    return !this.isFull;
  }
}

test('a log on standard error that is not read uses bounded memory, and notes how many pages are left out', async () => {
  const stderr = new Stalled();
  const log = (await openPageLog({ io: { stderr } } as unknown as Cli, {}))!;
  for (let n = 0; n < PAGES; n++) log.onFetched(page(n));
  expect(stderr.written.length).toBeLessThan(8_400_000);
  const first = read(stderr.written);
  expect(first.notLogged).toBe(0);
  expect(first.logged.length).toBeGreaterThan(8000);

  stderr.isFull = false;
  stderr.emit('drain');
  expect(read(stderr.written).notLogged).toBe(PAGES - first.logged.length);
  log.onFetched(page(PAGES));
  expect(read(stderr.written).logged.at(-1)).toBe(PAGES);

  stderr.isFull = true;
  for (let n = 0; n < PAGES; n++) log.onFetched(page(n));
  await log[Symbol.asyncDispose]();
  const { logged, notLogged } = read(stderr.written);
  expect(logged.length + notLogged).toBe(2 * PAGES + 1);
  expect(stderr.listenerCount('drain')).toBe(1);
});

test.runIf(process.platform !== 'win32')('so does a log into a named pipe', async () => {
  const file = join(testFolder(), 'pipe');
  execFileSync('mkfifo', [file]);
  const [log, reader] = await Promise.all([openPageLog({ io: {} } as Cli, { file }), open(file)]);
  for (let n = 0; n < PAGES; n++) log!.onFetched(page(n));
  const [found] = await Promise.all([text(createReadStream('', { fd: reader })), log![Symbol.asyncDispose]()]);
  const { logged, notLogged } = read(found);
  expect(notLogged).toBeGreaterThan(1000);
  expect(logged.length + notLogged).toBe(PAGES);
});
