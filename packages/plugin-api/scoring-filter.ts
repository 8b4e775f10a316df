/** A page's score, and the cash: score received and not handed on yet. */
export interface Score {
  readonly score: number;
  readonly cash: number;
}

/** The page that hands score to its links. Texts are untrusted. */
export interface LinkingPage {
  /** The text of the link to each target, in the order of the targets; empty where it has none. */
  readonly anchors: readonly string[];
  /** Empty unless a scoring filter asks for it by `reads`, and where the page has none, as one that redirects. */
  readonly title: string;
  /** As `title`. */
  readonly text: string;
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
   * @param page what the links and the page itself say
   */
  distribute?(
    values: readonly number[],
    source: string,
    targets: readonly string[],
    share: number,
    page: LinkingPage,
  ): readonly number[];
  /** What `distribute` sees of the page besides its links; each is read from the table only where a filter asks. */
  readonly reads?: readonly ('title' | 'text')[];
  /**
   * A page that links hand score to. `inlinkScores` is ordered best first, and `anchors` are the texts of these links in
   * the same order.
   */
  update?(value: Score, inlinkScores: readonly number[], url: string, anchors: readonly string[]): Score;
}
