import { z } from 'zod';
import { count, section } from './types.js';

export const scoring = section({
  relevant: section({
    score: z
      .number()
      .default(10)
      .describe('Added to the score of a new page if a rule of kind relevant matches its URL'),
    other: z
      .number()
      .default(0)
      .describe('Added to the score of any other new page, if there is a rule of kind relevant'),
  }),
});

export const propose = section({
  minRelevant: count
    .min(1)
    .default(30)
    .describe(
      'Proposed rules: minimum number of relevant pages of a domain before a section without relevant pages is proposed; the section itself must have more pages than this number. With 30, the risk is small: of 31 fetched pages of a section in which a tenth is relevant, all are irrelevant in 4 of 100 cases',
    ),
  minShare: z
    .number()
    .min(0)
    .max(1)
    .default(0.05)
    .describe('Proposed rules: minimum share of the irrelevant pages of a domain that the rules must reject'),
});

export const rank = section({
  damping: z
    .number()
    .min(0)
    .lt(1)
    .default(0.85)
    .describe('PageRank: the share of its rank that a page distributes over its links'),
  tolerance: z
    .number()
    .min(0)
    .default(1e-9)
    .describe(
      'PageRank: the computation ends when the sum of all changes in a round is below this value; the sum of all ranks is 1',
    ),
  maxIterations: count.min(1).default(200).describe('PageRank: maximum number of iterations'),
  internalLinkWeight: z
    .number()
    .min(0)
    .default(1)
    .describe('PageRank of pages: weight of a link within a host; a link to another host has weight 1'),
  danglingMass: z
    .enum(['spread', 'drop'])
    .default('spread')
    .describe('PageRank: whether the rank of pages without links is spread equally over all pages, or dropped'),
});

export const dedup = section({
  distance: count
    .min(0)
    .max(10)
    .default(7)
    .describe(
      'Near duplicates: maximum number of bits, out of 64, in which two simhashes may differ. 0: only equal simhashes',
    ),
  minWords: count
    .min(0)
    .default(100)
    .describe(
      'Minimum number of words of a page that is compared with others as a near duplicate; in Chinese, Japanese, Thai and similar languages, of characters',
    ),
});
