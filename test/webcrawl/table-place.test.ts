import { access, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { jobs, openContext } from '../../packages/webcrawl/internal.js';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-place-'));
});
afterAll(() => rm(folder, { recursive: true }));

describe('the place of a table', () => {
  it('is a directory, with or without level: before it', async () => {
    const directory = join(folder, 'some/dir');
    {
      await using crawl = await openContext({ table: directory });
      await jobs.inject(crawl, { seeds: ['http://a.com/'] });
    }
    await access(directory);
    await using crawl = await openContext({ table: `level:${directory}`, create: false });
    expect(await crawl.page('http://a.com/', [])).toMatchObject({ status: 'unfetched' });
  });

  it.each(['', 'level:', 'hbase:table', 'memory:x', 'https://example.com/'])('is not %j', async (table) => {
    await expect(openContext({ table })).rejects.toMatchObject({ code: 'BAD_SETTING' });
  });
});
