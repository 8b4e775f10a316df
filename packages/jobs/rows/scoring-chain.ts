import type { LinkingPage, Plugin, Score, ScoringFilter } from '../../plugin-api/index.js';
import type { Count } from '../reporting/counters.js';
import type { CrawlContext } from '../context.js';

/**
 * All scoring filters combined into one. Each filter gets the result of the previous filter. If a filter throws, or returns a number that
 * is not finite, it is skipped for this page and counted as `plugin_error_<name>`.
 */
export interface Scoring {
  injected(score: number, url: string): Score;
  initial(url: string): Score;
  distribute(source: string, targets: readonly string[], share: number, page: LinkingPage): readonly number[];
  update(score: Score, inlinkScores: readonly number[], url: string, anchors: readonly string[]): Score;
}

/** Returns the fields of a page that the scoring filters need in addition to its links. */
export function scoringReads({ plugins }: Pick<CrawlContext, 'plugins'>): readonly ('title' | 'text')[] {
  return (['title', 'text'] as const).filter((field) => plugins.some(({ scoring }) => scoring?.reads?.includes(field)));
}

/** @param count counts errors of plugins */
export function createScoring(crawl: Pick<CrawlContext, 'plugins'>, count: Count): Scoring {
  const all: Filters = { plugins: crawl.plugins, count };
  return {
    injected: (score, url) => chain(all, { score, cash: 0 }, isScore, (filter, value) => filter.injected?.(value, url)),
    initial: (url) => chain(all, { score: 0, cash: 0 }, isScore, (filter, value) => filter.initial?.(value, url)),
    update: (score, inlinkScores, url, anchors) =>
      chain(all, score, isScore, (filter, value) => filter.update?.(value, inlinkScores, url, anchors)),
    distribute: (source, targets, share, page) =>
      chain<readonly number[]>(
        all,
        targets.map(() => 0),
        (values) => values.length === targets.length && values.every(Number.isFinite),
        (filter, values) => filter.distribute?.(values, source, targets, share, page),
      ),
  };
}

interface Filters {
  readonly plugins: readonly Plugin[];
  readonly count: Count;
}

function chain<T>(
  { plugins, count }: Filters,
  first: T,
  isSound: (value: T) => boolean,
  step: (filter: ScoringFilter, value: T) => T | undefined,
): T {
  let value = first;
  for (const { name, scoring } of plugins) {
    if (!scoring) continue;
    try {
      const next = step(scoring, value);
      if (next === undefined) continue;
      if (isSound(next)) value = next;
      else count(`plugin_error_${name}`);
    } catch {
      count(`plugin_error_${name}`);
    }
  }
  return value;
}

const isScore = ({ score, cash }: Score): boolean => Number.isFinite(score) && Number.isFinite(cash);
