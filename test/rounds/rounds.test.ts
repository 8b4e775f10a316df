import { describe, expect, test } from 'vitest';
import {
  rounds,
  type Pass,
  type RoundsEvent,
  type RoundsOptions,
  type WorkerExit,
} from '../../packages/rounds/index.js';
import { MemoryStore, type BatchState } from '../../webtable/index.js';
import { testCrawl, type TestCrawl } from '../support/test-crawl.js';
import { VersionedStore } from '../support/versions/versioned-store.js';
import { randomNumbers } from '../support/web/fake-web.js';

const NO_WAIT = { first: 1, most: 2, limit: 3 };

/**
 * Replaces workers: changes the state of batches as they would. `due` is the number that each round selects, `passes` the
 * number of runs of a step.
 */
function fakeCluster(crawl: TestCrawl, due: number[], passes: Partial<Record<Pass['step'], number>> = {}) {
  const seen: string[] = [];
  const args: (readonly string[])[] = [];
  /** The exits of the workers of a shard, each used once. */
  const ends: { readonly step: Pass['step']; readonly exit: WorkerExit }[] = [];
  const done = new Map<string, number>();

  async function runner(pass: Pass, { onExit }: { onExit: (exit: WorkerExit) => void }): Promise<WorkerExit[]> {
    const { step, batchId, shards, count } = pass;
    seen.push(`${step} ${shards.join(',')}/${count}`);
    args.push(pass.args);
    const exits = shards.map((shard): WorkerExit => {
      const at = ends.findIndex((end) => end.step === step && end.exit.shard === shard);
      return at < 0 ? { shard, exitCode: 0, counters: { fetched: 2 } } : ends.splice(at, 1)[0]!.exit;
    });
    exits.forEach((exit) => onExit(exit));
    const times = (done.get(`${step} ${batchId}`) ?? 0) + 1;
    done.set(`${step} ${batchId}`, times);
    if (exits.every(({ exitCode }) => exitCode === 0) && times >= (passes[step] ?? 1)) await moveOn(pass);
    return exits;
  }

  async function moveOn({ step, batchId }: Pass): Promise<void> {
    const { batches, slots } = crawl.tables;
    const set = (state: BatchState, size = 4) => batches.change(batchId, () => ({ state, size }));
    if (step === 'generate') {
      const size = due.shift() ?? 0;
      await set(size === 0 ? 'closed' : 'open', size);
    }
    if (step === 'fetch') await batches.changeProgress(batchId, slots.all, () => ({ fetched: true, parsed: true }));
    if (step === 'updatedb') await set('closed');
  }
  return { runner, seen, args, ends };
}

async function setUp(due: number[], passes?: Partial<Record<Pass['step'], number>>) {
  const crawl = await testCrawl(undefined, { store: new VersionedStore(randomNumbers(3)) });
  const cluster = fakeCluster(crawl, due, passes);
  const run = (options: Partial<RoundsOptions> = {}) =>
    rounds(crawl, { shards: 2, runner: cluster.runner, workerArgs: () => [], backOff: NO_WAIT, ...options });
  return { crawl, ...cluster, run };
}

describe('rounds', () => {
  test('do each step on all shards, until nothing is due', async () => {
    const { seen, run } = await setUp([4, 3]);
    const { counters } = await run();
    const round = ['generate 0,1/2', 'fetch 0,1/2', 'updatedb 0,1/2'];
    expect(seen).toEqual([...round, ...round, 'generate 0,1/2']);
    expect(counters).toMatchObject({ rounds: 2, passes: 7, fetched: 8 });
  });

  test('end after the maximum number', async () => {
    const { seen, run } = await setUp([4, 3, 2]);
    await run({ rounds: 1 });
    expect(seen).toEqual(['generate 0,1/2', 'fetch 0,1/2', 'updatedb 0,1/2']);
  });

  test('repeat a step until it is done by the state of the table', async () => {
    const { seen, run } = await setUp([4], { fetch: 3, generate: 2 });
    await run({ rounds: 1 });
    expect(seen).toEqual([
      'generate 0,1/2',
      'generate 0,1/2',
      'fetch 0,1/2',
      'fetch 0,1/2',
      'fetch 0,1/2',
      'updatedb 0,1/2',
    ]);
  });

  test('pass the batch, --top-n and the common options to the workers', async () => {
    const { args, run } = await setUp([4]);
    const events: RoundsEvent[] = [];
    await run({
      rounds: 1,
      topN: 5,
      workerArgs: (step) => ['--for', step],
      onEvent: (event) => void events.push(event),
    });
    const [first] = events;
    const batchId = first?.kind === 'round' ? first.batchId : '';
    expect(args).toEqual([
      ['generate', '--batch', batchId, '--top-n', '5', '--for', 'generate'],
      ['fetch', batchId, '--parse', '--for', 'fetch'],
      ['updatedb', batchId, '--for', 'updatedb'],
    ]);
    expect(events.map(({ kind }) => kind)).toEqual(
      ['round', ...Array.from({ length: 3 }, () => ['pass', 'exit', 'exit'])].flat(),
    );
  });

  test.each([
    ['generating', ['generate', 'fetch', 'updatedb']],
    ['open', ['fetch', 'updatedb']],
    ['updating', ['updatedb']],
  ] as const)('go on with a batch that is %s', async (state, steps) => {
    const { crawl, seen, args, run } = await setUp([4]);
    await crawl.tables.batches.change('17-old', () => ({ state, size: state === 'generating' ? 0 : 4 }));
    await run({ rounds: 1 });
    expect(seen).toEqual(steps.map((step) => `${step} 0,1/2`));
    expect(args.every((words) => words.includes('17-old'))).toBe(true);
  });

  test('restart only the workers that have not completed', async () => {
    const { seen, ends, run } = await setUp([4]);
    ends.push(
      { step: 'fetch', exit: { shard: 1, exitCode: 75 } },
      { step: 'fetch', exit: { shard: 1, exitCode: null } },
    );
    const { counters } = await run({ rounds: 1 });
    expect(seen.slice(1)).toEqual(['fetch 0,1/2', 'fetch 1/2', 'fetch 1/2', 'updatedb 0,1/2']);
    expect(counters).toMatchObject({ restarts: 2 });
  });

  test('end with the message of a worker that is wrongly configured', async () => {
    const { seen, ends, run } = await setUp([4]);
    const message = 'error [BAD_SETTING]: expected a number, found x\nhint: write one\n';
    ends.push({ step: 'fetch', exit: { shard: 0, exitCode: 78, message } });
    await expect(run()).rejects.toMatchObject({
      code: 'BAD_SETTING',
      message: 'the worker of fetch on shard 0/2 ended with 78: expected a number, found x',
      hint: 'write one',
    });
    expect(seen).toHaveLength(2);
  });

  test('give up if workers fail repeatedly', async () => {
    const { ends, run } = await setUp([4]);
    for (let i = 0; i < 9; i++)
      ends.push({ step: 'updatedb', exit: { shard: 1, exitCode: null, message: 'out of memory\n' } });
    await expect(run()).rejects.toMatchObject({
      code: 'WORKER_FAILED',
      message: expect.stringMatching(/updatedb on 1\/2 .*out of memory/) as string,
    });
  });

  test('end after a round that fetched nothing', async () => {
    const { seen, ends, run } = await setUp([4, 4, 4]);
    for (const shard of [0, 1]) ends.push({ step: 'fetch', exit: { shard, exitCode: 0, counters: {} } });
    await run();
    expect(seen).toHaveLength(3);
  });

  test('go on after a round in which a killed worker may have fetched something', async () => {
    const { seen, ends, run } = await setUp([4]);
    ends.push({ step: 'fetch', exit: { shard: 0, exitCode: 0, counters: {}, restarts: 1 } });
    ends.push({ step: 'fetch', exit: { shard: 1, exitCode: 0, counters: {} } });
    await run();
    expect(seen.slice(3)).toEqual(['generate 0,1/2']);
  });

  test('go on after a round in which a worker reported nothing', async () => {
    const { seen, ends, run } = await setUp([4]);
    ends.push({ step: 'fetch', exit: { shard: 0, exitCode: 0 } });
    ends.push({ step: 'fetch', exit: { shard: 1, exitCode: 0, counters: {} } });
    await run();
    expect(seen.slice(3)).toEqual(['generate 0,1/2']);
  });

  test('stop when they are asked to, and go on when they are called again', async () => {
    const { seen, runner, run } = await setUp([4]);
    const stop = new AbortController();
    const report = await run({
      signal: stop.signal,
      runner: async (pass, options) => {
        if (pass.step === 'fetch') stop.abort();
        return pass.step === 'fetch' ? pass.shards.map((shard) => ({ shard, exitCode: 75 })) : runner(pass, options);
      },
    });
    expect(report.interrupted).toBe(true);
    await run({ rounds: 1 });
    expect(seen).toEqual(['generate 0,1/2', 'fetch 0,1/2', 'updatedb 0,1/2']);
  });

  test('refuse a table that only one process can write, and more shards than slots', async () => {
    const { run } = await setUp([]);
    await expect(run({ shards: 17 })).rejects.toThrow('expected 1 to 16 shards, found 17');
    const alone = await testCrawl(undefined, { store: new MemoryStore() });
    const { runner } = fakeCluster(alone, []);
    const refused = rounds(alone, { shards: 2, runner, workerArgs: () => [] });
    await expect(refused).rejects.toThrow('expected a table that several processes can share');
  });

  test('inject seeds first, and store the scope of the crawl', async () => {
    const { crawl, run } = await setUp([]);
    const { counters } = await run({ seeds: ['http://a.example/'], stay: 'any', depth: 3 });
    expect(counters).toMatchObject({ injected: 1 });
    expect(await crawl.tables.runs.lastCrawl()).toMatchObject({ scope: { stay: 'any', depth: 3 } });
  });
});
