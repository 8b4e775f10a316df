import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryStore, openSharedStore, type SharedStore } from '../../../webtable/index.js';
import { scanPlain } from '../../support/stores/plain-rows.js';

const WORKER = fileURLToPath(new URL('lock-holder.mjs', import.meta.url));
const BUILT = fileURLToPath(new URL('../../../dist/tests/webtable.js', import.meta.url));

describe.skipIf(!existsSync(BUILT))('another process that holds the lock (needs dist: node scripts/setup.mjs)', () => {
  let directory: string;
  let store: SharedStore;
  let child: ChildProcessWithoutNullStreams;
  let said: AsyncIterator<string>;

  async function hold(leaseMs: number): Promise<void> {
    const open = (): Promise<MemoryStore> => Promise.resolve(new MemoryStore());
    store = await openSharedStore({ directory, open, name: 'test', version: '1', leaseMs });
    await store.serve();
    child = spawn(process.execPath, [WORKER, directory]);
    said = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    expect((await said.next()).value).toBe('held');
  }

  beforeEach(async () => {
    directory = await mkdtemp(join(tmpdir(), 'webcrawl-live-'));
  });
  afterEach(async () => {
    child.kill('SIGKILL');
    await store.close();
    await rm(directory, { recursive: true, force: true });
  });

  it('and is killed leaves it free', async () => {
    await hold(600_000);
    child.kill('SIGKILL');
    await store.exclusive('rows', () => Promise.resolve());
  });

  it('and is stopped loses it, and what it would write later is refused', async () => {
    await hold(2000);
    child.kill('SIGSTOP');
    await store.exclusive('rows', () => Promise.resolve());
    child.kill('SIGCONT');
    child.stdin.write('write\n');
    expect((await said.next()).value).toBe('STORE_FAILED');
    expect(await scanPlain(store, 'webpage', { columns: ['m'] })).toEqual([]);
  });
});
