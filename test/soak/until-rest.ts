import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { CrawlStatus } from '../../packages/webcrawl/internal.js';

/** Milliseconds between two polls. */
const LOOK = 100;
/** Milliseconds without a change after which it counts as idle. */
const QUIET = 15_000;

/**
 * Resolves when a `crawl --serve` has crawled, ranked and indexed all that it can; never if its process ends before. It ranks
 * after the crawl, and indexes after that.
 */
export async function untilRest(child: ChildProcessWithoutNullStreams): Promise<void> {
  const url = await new Promise<string>((resolve) => {
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
      const found = /^Search page: (\S+)$/m.exec(said)?.[1];
      if (found !== undefined) resolve(found.replace('localhost', '127.0.0.1'));
    });
  });
  let crawled = '';
  let rankedBefore = 0;
  let last = '';
  let quietSince = performance.now();
  while (child.exitCode === null && child.signalCode === null) {
    const status = await fetch(`${url}api/status`).then(
      (answer) => answer.json() as Promise<Partial<CrawlStatus>>,
      () => undefined,
    );
    const { totals, jobs, batches, due } = status ?? {};
    if (totals && jobs && batches && due) {
      const ranked = totals['rank']?.done ?? 0;
      const crawling = JSON.stringify(totals['crawl']);
      if (crawling !== crawled || jobs.some(({ job }) => job === 'crawl')) rankedBefore = ranked;
      crawled = crawling;
      const all = JSON.stringify([totals, jobs.map(({ job }) => job), batches.length]);
      if (all !== last) quietSince = performance.now();
      last = all;
      const isIdle = jobs.length === 0 && batches.length === 0;
      if (isIdle && ((due.count === 0 && ranked > rankedBefore) || performance.now() - quietSince > QUIET)) return;
    }
    await sleep(LOOK);
  }
  await new Promise(() => {});
}
