import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { getPriority, tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { ROOT } from '../support/docs/source-files.js';
import { openWriterThread } from '../../packages/index/writing/writer-thread.js';

test('a writer that does not answer is ended after its signal has aborted', async () => {
  const place = { writer: 'opensearch', url: 'http://localhost:9200/pages' } as const;
  const stop = new AbortController();
  const opening = openWriterThread(place, 'a table', new URL('silent-writer.mjs', import.meta.url), stop.signal);
  stop.abort();
  await expect(opening).rejects.toMatchObject({ code: 'STORE_FAILED' });
}, 60_000);

/** Threads of this process that are nicer than it is by 5. */
function nicerThreads(): number {
  return readdirSync('/proc/self/task').filter((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
    // The second field is a name in brackets, which may hold spaces; this is the field 19 of proc(5).
    const nice = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16];
    return Number(nice) === getPriority() + 5;
  }).length;
}

test.skipIf(process.platform !== 'linux' || getPriority() > 14)(
  'a writer lets the other threads of its process go first',
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webcrawl-nice-'));
    const entry = pathToFileURL(join(ROOT, 'dist/packages/index/writing/writer-worker.js'));
    const before = nicerThreads();
    const writer = await openWriterThread({ writer: 'jsonl', folder }, 'a table', entry);
    expect(nicerThreads()).toBe(before + 1);
    await writer.close();
    expect(nicerThreads()).toBe(before);
    await rm(folder, { recursive: true });
  },
);
