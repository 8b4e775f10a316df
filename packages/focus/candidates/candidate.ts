import type { Settings } from '../../../config/index.js';
import type { Field, JsonValue, PageRow } from '../../../webtable/index.js';
import type { NewRule } from '../../rules/index.js';

/** Why a rule is proposed. */
export type ProposalReason = 'useless_prefix' | 'facet' | 'session' | 'calendar' | 'duplicate_section' | 'www';

/** A rule that may be worth having, before it is checked on the link graph. */
export interface Candidate {
  /** Its origin is `generated`; it is of one host or one domain. */
  readonly rule: NewRule;
  readonly reason: ProposalReason;
  /** The figures for it: an object of numbers, names, and of examples of URLs three at the most. */
  readonly evidence: { readonly [name: string]: JsonValue };
  /** Rows that it would cut, fetched or not. */
  readonly rows: number;
  /** These are the documents of pages that stay: where they lead is known by those, whether they were fetched or not. */
  readonly isOfCopies?: boolean;
}

/** What finders read of a row: all of the hot family. */
export const FINDER_FIELDS = [
  'status',
  'marks',
  'signature',
  'duplicateOf',
  'redirectTarget',
  'contentType',
  'parseStatus',
] as const satisfies readonly Field[];

/** A row that the rules of now take. URLs are untrusted. */
export interface FinderRow extends PageRow<(typeof FINDER_FIELDS)[number]> {
  readonly url: string;
  /** As the URL spells it, without port. */
  readonly host: string;
  /** Scheme, host and port, without a `/` at the end. */
  readonly origin: string;
  /** Path and query, from the first `/` on. */
  readonly path: string;
  /** A rule on usefulness of now matches it. */
  readonly fit: boolean;
  /**
   * No rule that cuts it is offered: it is fit, or a seed, or a rule made by hand accepts it, or a generated rule was of it that is
   * disabled, or it is on the only way to a useful page.
   */
  readonly isKept: boolean;
}

/** What is known of a domain when all of its rows have been added. */
export interface DomainFacts {
  /** The registrable domain. */
  readonly domain: string;
  /** Rows that the rules of now take. */
  readonly rows: number;
  /** Of these, rows that are fit. */
  readonly fit: number;
  /** Of these, rows that were fetched. */
  readonly fetched: number;
  /** Whether there is any rule that says what is useful. */
  readonly hasUseful: boolean;
}

/** Reads what pages say, in the order in which they are asked for: undefined of a row that is not there, or cannot be read. */
export type ReadTexts = (keys: readonly string[]) => Promise<readonly (PageTexts | undefined)[]>;
/** What a page says. */
export type PageTexts = Pick<PageRow<'title' | 'text'>, 'title' | 'text'>;

/** Finds rules of one kind for one domain. Its memory is bounded, whatever the number of rows. */
export interface CandidateFinder {
  /** Takes the next row of the domain: in key order within each host. */
  add(row: FinderRow): void;
  /** Called once, after all rows and before `find`: for a finder that the hot family is not enough for. It reads as little as it can. */
  readonly look?: (read: ReadTexts) => Promise<void>;
  /** Called once, after all rows. */
  find(domain: DomainFacts): readonly Candidate[];
}

/** Makes the finder of one kind for the next domain. */
export type CreateFinder = (settings: Settings) => CandidateFinder;
