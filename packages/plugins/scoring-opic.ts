import type { Plugin, Score, ScoringFilter } from '../plugin-api/index.js';
import { hostOf, isSameOrigin } from '../url/index.js';

/** Factors for the score that a page distributes over a link. */
export interface OpicFactors {
  /** The factor for links within a host. A sub-domain counts as another host. */
  readonly linkInternal: number;
  /** The factor for links between hosts. */
  readonly linkExternal: number;
}

/** The scoring filter of {@link opicScoring}. It does not use texts. */
export interface OpicFilter extends ScoringFilter {
  /** Gives a seed cash that equals its score. */
  injected(value: Score, url: string): Score;
  /** Gives a page a score of 0 and cash of 0. */
  initial(value: Score, url: string): Score;
  /** Divides `share` equally among the targets. Each part is multiplied by the factor of its link, and added to the value of its target. */
  distribute(values: readonly number[], source: string, targets: readonly string[], share: number): readonly number[];
  /** Adds the scores of links to the score and to the cash of a page. */
  update(value: Score, inlinkScores: readonly number[], url: string): Score;
}

/**
 * Scores pages by online page importance (OPIC). The cash of a page is the score that it has received after its last distribution. When a
 * page is fetched, it distributes its cash in equal parts to the pages to which it links. A score never falls, so pages with links from
 * important pages come first. A seed starts with cash that equals its score. A page that was found through a link starts with 0. If a page
 * has no links, its cash is lost.
 */
export function opicScoring(factors: OpicFactors): Plugin & { readonly scoring: OpicFilter } {
  return {
    name: 'scoring-opic',
    scoring: {
      injected: ({ score }) => ({ score, cash: score }),
      initial: () => ({ score: 0, cash: 0 }),
      distribute(values, source, targets, share) {
        const part = share / targets.length;
        const host = hostOf(source);
        return targets.map((target, i) => {
          const isInternal = isSameOrigin(source, target) || hostOf(target) === host;
          return (values[i] ?? 0) + part * (isInternal ? factors.linkInternal : factors.linkExternal);
        });
      },
      update({ score, cash }, inlinkScores) {
        const received = inlinkScores.reduce((sum, each) => sum + each, 0);
        return { score: score + received, cash: cash + received };
      },
    },
  };
}
