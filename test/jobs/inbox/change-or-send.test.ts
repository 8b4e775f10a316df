import { expect, it } from 'vitest';
import { changeOrSend } from '../../../packages/jobs/inbox/change-or-send.js';
import { foldInboxes } from '../../../packages/jobs/inbox/fold-inboxes.js';
import { inSlots } from '../../../packages/jobs/shards/job-slots.js';
import { jobRun } from '../../../packages/jobs/context.js';
import { withoutScope } from '../../../packages/jobs/scope/in-scope.js';
import { jobs, openTables, rowKeyOf, type OpenContext } from '../../../packages/webcrawl/internal.js';
import { rowOf } from '../../support/job-steps.js';
import { testCrawl } from '../../support/test-crawl.js';
import { TimedRows, TimedStore } from '../../support/stores/timed-store.js';

const URLS = Array.from({ length: 8 }, (_, i) => `http://h${i}.com/`);

/** Two processes on one table, with a row for each URL. */
async function twoProcesses(): Promise<[OpenContext, OpenContext]> {
  const rows = new TimedRows();
  const open = () => testCrawl(undefined, { store: new TimedStore(() => 0, {}, rows) });
  await openTables(new TimedStore(() => 0, {}, rows), { slots: 2 });
  const [worker, job] = [await open(), await open()];
  await jobs.inject(worker, { seeds: URLS });
  return [worker, job];
}

const mark = (crawl: OpenContext, urls: readonly string[], rank: number | undefined): Promise<void> =>
  changeOrSend(crawl, 'rank', urls.map(rowKeyOf), ['rank'], (rows, keys) =>
    keys.map((key, i) =>
      rows[i]?.rank === rank ? undefined : rank === undefined ? { key, unset: ['rank'] } : { key, set: { rank } },
    ),
  );

const ranks = (crawl: OpenContext): Promise<(number | undefined)[]> =>
  Promise.all(URLS.map(async (url) => (await rowOf(crawl, url, 'rank')).rank));

it('a job changes rows of free slots at once, and those of other workers when they fold their inboxes', async () => {
  const [worker, job] = await twoProcesses();
  await inSlots(worker, { job: 'crawl' }, { slots: ['01'] }, async (jobSlots) => {
    await mark(job, URLS, 1);
    await mark(job, URLS, 2);
    await mark(job, [...URLS, 'http://nowhere.com/'], undefined);
    await mark(job, URLS, 3);
    const own = URLS.map((url) => worker.tables.slots.ofRow(rowKeyOf(url)) === '01');
    expect(new Set(own).size).toBe(2);
    expect(await ranks(worker)).toEqual(own.map((isOwn) => (isOwn ? undefined : 3)));
    const run = jobRun(withoutScope(worker), jobSlots);
    expect(await foldInboxes(run, { aborted: false })).toEqual({});
    expect(await ranks(worker)).toEqual(URLS.map(() => 3));
    expect((await worker.tables.inboxes.sizes(worker.tables.slots.all, 1)).size).toBe(0);
  });
  expect(await worker.tables.pages.get(rowKeyOf('http://nowhere.com/'), ['rank', 'dueAt'])).toBeUndefined();
});

it.each([undefined, 2])(
  'a later change wins over an earlier one that is still in the inbox of a slot without a worker: rank %s',
  async (rank) => {
    const [worker, job] = await twoProcesses();
    await inSlots(worker, { job: 'crawl' }, { slots: ['01'] }, () => mark(job, URLS, 1));
    await mark(job, URLS, rank);
    await inSlots(worker, { job: 'crawl' }, {}, (jobSlots) =>
      foldInboxes(jobRun(withoutScope(worker), jobSlots), { aborted: false }),
    );
    expect(await ranks(worker)).toEqual(URLS.map(() => rank));
  },
);

it('on a single-process table, a job changes all rows itself', async () => {
  const crawl = await testCrawl(undefined);
  await jobs.inject(crawl, { seeds: URLS });
  await mark(crawl, URLS, 1);
  expect(await ranks(crawl)).toEqual(URLS.map(() => 1));
});
