import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  backupTable,
  createTable,
  exportPages,
  jobs,
  migrateTable,
  repairFiles,
  rules,
  type OpenContext,
} from '../../packages/webcrawl/internal.js';
import { testCrawl } from '../support/test-crawl.js';

// Options that a JavaScript caller may pass, without type checks.

let crawl: OpenContext;
beforeAll(async () => {
  crawl = await testCrawl(undefined);
});
afterAll(() => crawl.close());

type AnyJob = (crawl: OpenContext, options?: unknown) => Promise<unknown>;
const ALL = { ...jobs, exportPages } as unknown as Readonly<Record<string, AnyJob>>;
const seeds = ['http://a.com/'];

describe('unknown or invalid options of a job are USAGE', () => {
  it.each([
    ['crawl', { seeds, dept: 3 }, 'crawl.run has no option "dept"', 'did you mean depth?'],
    ['generate', { topn: 3 }, 'crawl.generate has no option "topn"', 'did you mean topN?'],
    ['compact', { zzzzzz: 1 }, 'crawl.compact has no option "zzzzzz"', 'its options are signal, onProgress'],
    ['crawl', { seeds, stay: 'x' }, 'expected stay to be one of host, domain, path, any, found "x"', 'known names are'],
    ['crawl', { seeds, stay: 'hosts' }, 'found "hosts"', 'did you mean host?'],
    ['crawl', { seeds, depth: -1 }, 'expected depth to be a whole number of at least 0, found -1', undefined],
    ['crawl', { seeds, rounds: 0 }, 'expected rounds to be a whole number of at least 1, found 0', undefined],
    ['crawl', { seeds, maxSeconds: '5' }, 'expected maxSeconds to be a number above 0, found "5"', undefined],
    ['crawl', undefined, 'expected seeds to be strings in a list or a stream, found none', undefined],
    ['inject', {}, 'expected seeds to be strings in a list or a stream, found none', undefined],
    ['inject', { seeds: 'http://a.com/' }, 'found "http://a.com/"', undefined],
    ['inject', { seeds: [7] }, 'expected seeds that are texts, found a number in line 1', undefined],
    ['fetch', {}, 'expected batch to be the id of a batch, found none', undefined],
    ['fetch', { batch: 'all', onPage: 'x' }, 'expected onPage to be a function, found "x"', undefined],
    ['generate', { shard: { index: 3, count: 3 } }, 'expected shard to be a shard, as parseShard gives it', undefined],
    ['generate', [], 'expected the options of crawl.generate as an object, found a list', undefined],
    ['generate', null, 'expected the options of crawl.generate as an object, found none', undefined],
    ['inject', Object.create({ seeds }), 'expected seeds to be strings in a list or a stream, found none', undefined],
    ['inject', { seeds: { [Symbol.iterator]: undefined } }, 'found an object', undefined],
    ['inject', { seeds: { [Symbol.asyncIterator]: null } }, 'found an object', undefined],
    ['inject', { seeds: new String('http://a.com/') }, 'found an object', undefined],
    ['remove', { status: 'fetchd' }, 'found "fetchd"', 'did you mean fetched?'],
    ['remove', { status: ['gone', 5] }, 'found 5', undefined],
    ['remove', { code: 404 }, 'expected code to be a list of codes, found 404', undefined],
    ['exportPages', { output: '-', fields: ['titel'] }, 'found "titel"', 'did you mean title?'],
    [
      'exportPages',
      { output: '-', fields: 'title' },
      'expected fields to be a list of fields, found "title"',
      undefined,
    ],
    ['exportPages', { output: '-', format: 'jsom' }, 'found "jsom"', 'did you mean jsonl?'],
  ])('%s %o', async (job, options, message, hint) => {
    await expect(ALL[job]!(crawl, options)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(message) as string,
      ...(hint !== undefined && { hint: expect.stringContaining(hint) as string }),
    });
  });

  it('every job checks them', async () => {
    for (const [name, job] of Object.entries(ALL)) {
      const options = { seeds, batch: 'all', output: '-', noSuchOption: 1 };
      await expect(job(crawl, options), name).rejects.toMatchObject({ code: 'USAGE' });
    }
    const { apply, propose } = rules as unknown as Readonly<Record<string, AnyJob>>;
    for (const job of [apply!, propose!]) {
      await expect(job(crawl, { noSuchOption: 1 })).rejects.toMatchObject({ code: 'USAGE' });
    }
  });
});

describe('functions on a whole table check their options', () => {
  it.each([
    ['backupTable', { to: '/x', waitSecond: 3 }, 'backupTable has no option "waitSecond"', 'did you mean waitSeconds?'],
    ['backupTable', {}, 'expected to to be a string that is not empty, found none', undefined],
    ['backupTable', undefined, 'expected the options of backupTable as an object, found none', undefined],
    [
      'backupTable',
      { to: '/x', waitSeconds: -1 },
      'expected waitSeconds to be a number of at least 0, found -1',
      undefined,
    ],
    ['createTable', { table: 'hbase:', slot: 3 }, 'createTable has no option', 'did you mean slots?'],
    ['migrateTable', { tabel: 'x' }, 'migrateTable has no option', 'did you mean table?'],
    ['repairFiles', { dryrun: true }, 'repairFiles has no option', 'did you mean dryRun?'],
    ['repairFiles', { dryRun: 'no' }, 'expected dryRun to be true or false, found "no"', undefined],
  ] as const)('%s %o', async (name, options, message, hint) => {
    const call = { backupTable, createTable, migrateTable, repairFiles }[name] as (given: unknown) => Promise<unknown>;
    await expect(call(options)).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringContaining(message) as string,
      ...(hint !== undefined && { hint }),
    });
  });
});

describe('an option that is undefined', () => {
  it('counts as absent, whether the job knows it or not', async () => {
    await expect(ALL['compact']!(crawl, { signal: undefined, noSuchOption: undefined })).resolves.toBeDefined();
    await expect(ALL['inject']!(crawl, { seeds: undefined })).rejects.toMatchObject({ code: 'USAGE' });
  });
});

describe('fields of pages', () => {
  const page = (...args: readonly unknown[]): Promise<unknown> =>
    (crawl.page as unknown as (...args: readonly unknown[]) => Promise<unknown>)(...args);
  const pages = async (query: unknown): Promise<void> => {
    for await (const _ of (crawl.pages as unknown as (query: unknown) => AsyncIterable<unknown>)(query));
  };

  it('that do not exist are USAGE', async () => {
    const wrong = { code: 'USAGE', hint: 'did you mean title?' };
    await expect(page('http://a.com/', ['titel'])).rejects.toMatchObject(wrong);
    await expect(page('http://a.com/')).rejects.toMatchObject({ code: 'USAGE' });
    await expect(page(5, ['title'])).rejects.toMatchObject({ code: 'USAGE' });
    await expect(pages({ fields: ['titel'] })).rejects.toMatchObject(wrong);
    await expect(pages({})).rejects.toMatchObject({ code: 'USAGE' });
    await expect(pages({ fields: [], sort: {}, limit: 1 })).rejects.toMatchObject({ code: 'USAGE' });
    await expect(pages({ fields: [], hots: 'a.com' })).rejects.toMatchObject({ hint: 'did you mean host?' });
  });

  it('that are undefined count as absent', async () => {
    await pages({ fields: ['title'], host: undefined, limit: undefined });
    await jobs.generate(crawl, { topN: undefined, signal: undefined } as never);
  });
});
