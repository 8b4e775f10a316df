import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { localRunner, type Pass, type WorkerExit } from '../../packages/rounds/index.js';
import { until } from '../support/events.js';

const WORKER = fileURLToPath(new URL('../support/fake-worker.mjs', import.meta.url));
const NO_WAIT = { first: 1, most: 2, limit: 3 };

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-rounds-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const passOf = (count: number, shards = Array.from({ length: count }, (_, i) => i)): Pass => ({
  step: 'fetch',
  batchId: '17-ab',
  shards,
  count,
  args: ['fetch', '17-ab', '--parse'],
});
const plan = (shard: number, words: string) => writeFile(join(folder, String(shard)), words);
const startsOf = async (shard: number) => (await readFile(join(folder, `${shard}.log`), 'utf8')).trim().split('\n');

async function runPass(pass: Pass, how: { parallel?: number; stop?: AbortController } = {}) {
  const seen: (WorkerExit & { againIn?: number | undefined })[] = [];
  const runner = localRunner({
    command: [process.execPath, WORKER, folder],
    backOff: NO_WAIT,
    ...(how.parallel !== undefined && { parallel: how.parallel }),
  });
  const { signal } = how.stop ?? new AbortController();
  const exits = await runner(pass, { signal, onExit: (exit, againIn) => void seen.push({ ...exit, againIn }) });
  return { exits: [...exits].sort((a, b) => a.shard - b.shard), seen };
}

describe('workers on this machine', () => {
  test('get their job and their shard, and their counters are read', async () => {
    const { exits } = await runPass(passOf(3, [0, 2]));
    expect(exits.map(({ shard, exitCode, counters }) => [shard, exitCode, counters])).toEqual([
      [0, 0, { fetched: 3 }],
      [2, 0, { fetched: 3 }],
    ]);
    expect(await startsOf(2)).toEqual(['fetch 17-ab --parse --shard 2/3']);
  });

  test('are restarted if they are killed or ask for it, others are not', async () => {
    await plan(1, '75 kill 0');
    const { exits, seen } = await runPass(passOf(2));
    expect(exits.map(({ exitCode, restarts }) => [exitCode, restarts])).toEqual([
      [0, 0],
      [0, 2],
    ]);
    expect(await startsOf(1)).toHaveLength(3);
    expect(await startsOf(0)).toHaveLength(1);
    expect(seen.filter(({ shard }) => shard === 1).map(({ exitCode, againIn }) => [exitCode, againIn])).toEqual([
      [75, 1],
      [null, 2],
      [0, undefined],
    ]);
  });

  test('are given up after a number of failures in a row', async () => {
    await plan(0, 'kill kill kill kill kill');
    const { exits } = await runPass(passOf(1));
    expect(exits[0]).toMatchObject({ exitCode: null, restarts: 3 });
  });

  test('all end if one is wrongly configured', async () => {
    await plan(0, '78');
    await plan(1, 'wait');
    const { exits } = await runPass(passOf(3), { parallel: 2 });
    expect(exits[0]).toMatchObject({ exitCode: 78, message: expect.stringContaining('error [BAD_SETTING]') as string });
    expect(exits[1]!.exitCode).not.toBe(0);
    // Never started.
    expect(exits[2]).toEqual({ shard: 2, exitCode: null });
    expect(existsSync(join(folder, '2.log'))).toBe(false);
  });

  test('are asked to stop, and awaited', async () => {
    await plan(0, 'wait');
    const stop = new AbortController();
    const running = runPass(passOf(1), { stop });
    await until(() => existsSync(join(folder, '0.pid')));
    stop.abort();
    expect((await running).exits[0]).toMatchObject({ exitCode: 75, restarts: 0 });
    expect(await startsOf(0)).toHaveLength(1);
  });
});
