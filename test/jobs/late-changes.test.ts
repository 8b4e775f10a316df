import { expect, it } from 'vitest';
import { jobs, type OpenContext } from '../../packages/webcrawl/internal.js';
import { FRONTIER_FIELDS, type PageRow } from '../../webtable/index.js';
import { isSoak } from '../support/runs.js';
import { hostIn, sharedTable } from '../support/shared-table.js';
import { links } from '../support/web/fake-web.js';

const [A, B] = ['00', '01'].map((slot) => hostIn(slot)) as [string, string];
const PAGES = {
  [A]: links(`${A}1`, `${A}moving`, B),
  [`${A}moving`]: { location: `${A}moved` },
  [`${A}moved`]: links(`${B}last`),
  [B]: links(A, `${A}moved`),
};
/** Number of calls between two kills. */
const STEP = isSoak ? 1 : 14;

async function cycle(crawl: OpenContext): Promise<void> {
  const batch = 'all';
  await jobs.generate(crawl);
  await jobs.fetch(crawl, { batch });
  await jobs.parse(crawl, { batch });
  await jobs.updatedb(crawl, { batch });
}

it('rows and batches are complete, after updatedb has closed the batch of a killed worker and then a change of that worker arrives', async () => {
  let kills = 0;
  for (let killAt = 1; ; killAt += STEP) {
    const { run, killed, tables } = await sharedTable(PAGES, {});
    await run((crawl) => jobs.inject(crawl, { seeds: [A] }));
    await run(cycle);
    if (!(await killed(cycle, killAt, (crawl) => jobs.updatedb(crawl, { batch: 'all' })))) break;
    kills += 1;
    for (let i = 0; i < 3; i++) await run(cycle);
    const rows: PageRow<'status' | (typeof FRONTIER_FIELDS)[number]>[] = [];
    for await (const row of tables.pages.scan({ fields: ['status', ...FRONTIER_FIELDS] })) rows.push(row);
    const at = `killed at ${killAt}`;
    expect(
      rows.flatMap(({ key, status }) => (status === 'unfetched' ? [key] : [])),
      at,
    ).toEqual([]);
    expect(
      rows.flatMap(({ key, marks }) => (marks?.generate ? [key] : [])),
      at,
    ).toEqual([]);
    expect((await tables.frontier.hasEntries(rows)).every(Boolean), at).toBe(true);
    expect(await tables.batches.list(), at).toEqual([]);
    expect(await tables.batches.listUpdated(), at).toEqual([]);
  }
  expect(kills).toBeGreaterThan(20);
});
