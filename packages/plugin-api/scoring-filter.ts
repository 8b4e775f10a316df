/** A page's score, and the cash: score received and not handed on yet. */
export interface Score {
  readonly score: number;
  readonly cash: number;
}

/** Scoring filters form a chain: each gets what the one before returned. All members are pure. */
export interface ScoringFilter {
  /** A seed. `value.score` is the seed's own score or `db.scoreInjected`. */
  injected?(value: Score, url: string): Score;
  /** A page first seen as a link. */
  initial?(value: Score, url: string): Score;
  /**
   * What a page that was fetched and parsed hands to each of its links.
   * @param values one per target, in the order of `targets`
   * @param share the part of its cash that this batch hands on
   */
  distribute?(values: readonly number[], source: string, targets: readonly string[], share: number): readonly number[];
  /** A page that links hand score to. `inlinkScores` is ordered best first. */
  update?(value: Score, inlinkScores: readonly number[], url: string): Score;
}
