import type { Settings, Field, JsonValue, PageRow, RulePattern } from '../../core/index.js';
import type { NewRule } from '../../rules/index.js';

/** The reason for a proposal. */
export type ProposalReason = 'useless_prefix' | 'facet' | 'session' | 'calendar' | 'www';

/** A rule that is proposed if it passes the check on the link graph. */
export interface Candidate {
  /** The proposed rule. Its origin is `generated`, and its scope is one host or one domain. */
  readonly rule: NewRule;
  readonly reason: ProposalReason;
  /** Evidence for the rule: an object of numbers and names, with at most three URLs as examples. */
  readonly evidence: { readonly [name: string]: JsonValue };
  /** Number of rows that the rule would reject, fetched or not fetched. */
  readonly rows: number;
  /**
   * Whether the rejected pages are copies of pages that stay. If so, their links are known from the pages that stay, even if the copies
   * were not fetched.
   */
  readonly isOfCopies?: boolean;
}

export function rejectRule(host: string, pattern: RulePattern): NewRule {
  return { kind: 'reject', origin: 'generated', scope: `host:${host}`, pattern };
}

/** The fields of a row that finders read. All are in the hot family. */
export const FINDER_FIELDS = [
  'status',
  'marks',
  'signature',
  'duplicateOf',
  'redirectTarget',
  'parseStatus',
] as const satisfies readonly Field[];

/** A row that the present rules accept. The URL is untrusted. */
export interface FinderRow extends PageRow<(typeof FINDER_FIELDS)[number]> {
  readonly url: string;
  /** The host as in the URL, without the port. */
  readonly host: string;
  /** Scheme, host and port, without a `/` at the end. */
  readonly origin: string;
  /** Path and query, from the first `/` on. */
  readonly path: string;
  /** Whether a present `relevant` rule matches the URL. */
  readonly relevant: boolean;
  /**
   * Whether no candidate may reject the row. There are five such cases: the row is relevant; it is a seed; a rule made by hand accepts
   * it; a disabled generated rule would reject it; it is on the only way to a relevant page.
   */
  readonly isKept: boolean;
}

/** Figures of a domain after all of its rows were added. */
export interface DomainFacts {
  readonly domain: string;
  /** Number of rows that the present rules accept. */
  readonly rows: number;
  /** Number of these rows that are relevant. */
  readonly relevant: number;
  /** Number of these rows that were fetched. */
  readonly fetched: number;
  /** Whether there is a `relevant` rule. */
  readonly hasRelevant: boolean;
  /** Whether people decide on the candidates. Absent: the candidates are added at once. */
  readonly isForReview?: boolean;
}

/** Reads the texts of pages, and returns them in the order of the keys. A text is undefined if its row does not exist or cannot be read. */
export type ReadTexts = (keys: readonly string[]) => Promise<readonly (PageTexts | undefined)[]>;
/** Title and text of a page. */
export type PageTexts = Pick<PageRow<'title' | 'text'>, 'title' | 'text'>;

/** Finds rules of one kind for one domain. Its memory does not grow with the number of rows. */
export interface CandidateFinder {
  /** Adds the next row of the domain. Within each host, rows are in key order. */
  add(row: FinderRow): void;
  /**
   * Reads the texts that the finder needs in addition to the hot family. Called once, after all rows and before `find`. It should read as
   * little as possible.
   */
  readonly look?: (read: ReadTexts) => Promise<void>;
  /** Returns the candidates. Called once, after all rows. */
  find(domain: DomainFacts): readonly Candidate[];
}

/** Creates the finder of one kind for the next domain. */
export type CreateFinder = (settings: Settings) => CandidateFinder;
