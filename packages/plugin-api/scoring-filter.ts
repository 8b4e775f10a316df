/** The score of a page, and the cash of the page. The cash is score that the page has received but not distributed yet. */
export interface Score {
  readonly score: number;
  readonly cash: number;
}

/** A page that distributes score to the targets of its links. Its texts are untrusted. */
export interface LinkingPage {
  /** The anchor of the link to each target, in the order of the targets. An anchor may be empty. */
  readonly anchors: readonly string[];
  /** The title of the page. It is empty if no scoring filter names `title` in `reads`, or if the page has no title, as with a redirect. */
  readonly title: string;
  /** The text of the page. It is empty in the same cases as `title`. */
  readonly text: string;
}

/** Scoring filters form a chain. Each filter gets the result of the previous filter. All functions must be pure. */
export interface ScoringFilter {
  /** Returns the score of a new seed. `value.score` is the score from the seed's line, or `db.scoreInjected`. */
  injected?(value: Score, url: string): Score;
  /** Returns the score of a new page that was found through a link. */
  initial?(value: Score, url: string): Score;
  /**
   * Returns the score that a fetched and parsed page distributes to each target of its links.
   * @param values the values of the previous filter, one for each target, in the order of `targets`
   * @param share the part of the page's cash that is distributed in this batch
   * @param page the texts of the page and of its links
   */
  distribute?(
    values: readonly number[],
    source: string,
    targets: readonly string[],
    share: number,
    page: LinkingPage,
  ): readonly number[];
  /** The texts of the page that `distribute` needs. They are read from the table only if a filter names them here. */
  readonly reads?: readonly ('title' | 'text')[];
  /**
   * Returns the new score of a page that receives score from links. `inlinkScores` are the scores of these links, best first. `anchors` are
   * the texts of the links in the same order.
   */
  update?(value: Score, inlinkScores: readonly number[], url: string, anchors: readonly string[]): Score;
}
