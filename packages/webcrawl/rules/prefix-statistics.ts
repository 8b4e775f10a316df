import type { PrefixNode, PrefixSelection } from '../../focus/index.js';
import { watched } from '../jobs.js';
import { late } from '../late.js';
import type { OpenContext } from '../open-context.js';

const focus = () => import('../../focus/index.js');
const { makePrefixStatistics, latestPrefixStatistics } = late(focus, 'makePrefixStatistics', 'latestPrefixStatistics');

export const prefixStatistics = {
  make: watched('prefixes', makePrefixStatistics),
  latest: latestPrefixStatistics,
  async *read(crawl: Pick<OpenContext, 'tables'>, selection?: PrefixSelection): AsyncGenerator<PrefixNode> {
    yield* (await focus()).readPrefixStatistics(crawl, selection);
  },
} as const;
