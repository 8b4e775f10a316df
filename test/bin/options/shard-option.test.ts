import { beforeEach, describe, expect, test, vi } from 'vitest';
import { CrawlError } from '../../../packages/errors/index.js';
import { resetStub, stub } from '../stub-api.js';
import { type TestIo, runLine, testIo } from '../test-io.js';

vi.mock('../../../packages/webcrawl/internal.js', async () => (await import('../stub-api.js')).api);

beforeEach(resetStub);

const webcrawl = (args: string, io?: TestIo) => runLine(args.split(' '), io);

const shards = () => stub.calls.flatMap(({ options }) => (options.shard ? [options.shard] : []));

describe('--shard', () => {
  test('is passed to the job', async () => {
    expect((await webcrawl('generate --shard 2/6')).code).toBe(0);
    expect(shards()).toEqual([{ index: 2, count: 6 }]);
  });

  test.each([
    [
      { WEBCRAWL_SHARD: '3/8', JOB_COMPLETION_INDEX: '1' },
      { index: 3, count: 8 },
    ],
    [
      { JOB_COMPLETION_INDEX: '5', WEBCRAWL_SHARDS: '64' },
      { index: 5, count: 64 },
    ],
    [
      { SLURM_ARRAY_TASK_ID: '7', SLURM_ARRAY_TASK_MIN: '1', SLURM_ARRAY_TASK_COUNT: '8' },
      { index: 6, count: 8 },
    ],
    [
      {
        SLURM_ARRAY_TASK_ID: '14',
        SLURM_ARRAY_TASK_MIN: '10',
        SLURM_ARRAY_TASK_STEP: '2',
        SLURM_ARRAY_TASK_COUNT: '4',
      },
      { index: 2, count: 4 },
    ],
    [
      { CLOUD_RUN_TASK_INDEX: '0', CLOUD_RUN_TASK_COUNT: '3' },
      { index: 0, count: 3 },
    ],
    [
      { AWS_BATCH_JOB_ARRAY_INDEX: '9', WEBCRAWL_SHARDS: '10' },
      { index: 9, count: 10 },
    ],
    [
      { mapreduce_task_partition: '0', mapreduce_job_maps: '16' },
      { index: 0, count: 16 },
    ],
  ])('auto reads %o', async (env, shard) => {
    expect((await webcrawl('generate --shard auto', testIo({ env }))).code).toBe(0);
    expect(shards()).toEqual([shard]);
  });

  test.each([
    [{}, '--shard auto: no environment variable of a scheduler is set'],
    [{ JOB_COMPLETION_INDEX: '5' }, 'JOB_COMPLETION_INDEX gives no shard: 5 of undefined'],
    [{ JOB_COMPLETION_INDEX: '5', WEBCRAWL_SHARDS: '5' }, 'gives no shard: 5 of 5'],
    [{ SLURM_ARRAY_TASK_ID: '3', SLURM_ARRAY_TASK_STEP: '2', SLURM_ARRAY_TASK_COUNT: '4' }, 'gives no shard: 1.5 of 4'],
    [{ WEBCRAWL_SHARD: '1:4' }, 'WEBCRAWL_SHARD gives no shard'],
  ])('auto refuses %o', async (env, message) => {
    const { code, err } = await webcrawl('generate --shard auto', testIo({ env }));
    expect([code, err]).toEqual([64, expect.stringContaining(message)]);
    expect(stub.calls).toEqual([]);
  });

  test.each(['6/6', '-1/6', '1', 'a/b', '1/0', '0/9999999999'])('refuses %s', async (text) => {
    const { code, err } = await webcrawl(`generate --shard=${text}`);
    expect([code, err]).toEqual([64, expect.stringContaining('expected a shard i/n with i from 0 to n - 1')]);
  });

  test('makes a stop and a lease of another worker exit with 75, to be retried', async () => {
    stub.report = { interrupted: true };
    expect((await webcrawl('generate')).code).toBe(130);
    expect((await webcrawl('generate --shard 0/2')).code).toBe(75);
    stub.run = () => {
      throw new CrawlError('LEASE_HELD', 'expected slot 00 to be free');
    };
    const { code, err } = await webcrawl('generate --shard 0/2');
    expect([code, err]).toEqual([75, 'error [LEASE_HELD]: expected slot 00 to be free\n']);
  });

  test('of generate with nothing due exits with 0, because other shards may have due pages', async () => {
    expect((await webcrawl('generate')).code).toBe(1);
    const { code, err } = await webcrawl('generate --shard 0/2');
    expect([code, err]).toEqual([0, expect.stringContaining('Nothing is due.')]);
  });
});
