import type { Plugin, Score, ScoringFilter } from '../plugin-api/index.js';
import { hostOf } from '../url/index.js';

/** Factors for what a link hands on. */
export interface OpicFactors {
  /** For links within a host. Sub-domains are other hosts. */
  readonly linkInternal: number;
  /** For links between hosts. */
  readonly linkExternal: number;
}

/** The scoring filter of {@link opicScoring}: it looks at no texts. */
export interface OpicFilter extends ScoringFilter {
  /** The seed's score is its cash. */
  injected(value: Score, url: string): Score;
  /** No score. */
  initial(value: Score, url: string): Score;
  /** Adds an equal part of `share`, times the factor of the link, to the value of each target. */
  distribute(values: readonly number[], source: string, targets: readonly string[], share: number): readonly number[];
  /** Adds what the links hand on to score and cash. */
  update(value: Score, inlinkScores: readonly number[], url: string): Score;
}

/**
 * Online page importance: a page hands the score it has received since it last did, its cash, in equal parts to the
 * pages it links to. Score only grows, so what is linked from important pages comes first. A seed starts with its
 * score as cash; a page found by a link starts at 0. The cash of a page without links is lost.
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
          const factor = hostOf(target) === host ? factors.linkInternal : factors.linkExternal;
          return (values[i] ?? 0) + part * factor;
        });
      },
      update({ score, cash }, inlinkScores) {
        const received = inlinkScores.reduce((sum, each) => sum + each, 0);
        return { score: score + received, cash: cash + received };
      },
    },
  };
}
