import { isRecord, json, readableValue } from '../pages/codec.js';
import type { JsonValue } from '../pages/page.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';
import { isTime } from './moments.js';
import { saysRule, type UrlRule, type WwwRule } from './rules.js';

/** The rule that a proposal contains. */
export type ProposedRule = Pick<UrlRule, 'kind' | 'scope' | 'pattern'> | Pick<WwwRule, 'kind' | 'scope' | 'to'>;

/** A rule that the crawler proposes, as plain data for JSON. */
export interface StoredProposal {
  /** The number of the proposal in its list, from 1 on. The operator applies a proposal by this number. */
  readonly number: number;
  readonly rule: ProposedRule;
  /** The reason of the proposal: `useless_prefix`, … */
  readonly reason: string;
  /** The figures that support the proposal; examples of URLs are untrusted. */
  readonly evidence: { readonly [name: string]: JsonValue };
  /** Number of pages that the rule would reject. */
  readonly rows: number;
  /** How many of these pages were fetched. */
  readonly fetched: number;
  /** The registrable domain of the pages. */
  readonly domain: string;
  /** Whether the rejected pages have the same documents as pages that stay. */
  readonly isOfCopies?: true;
}

/** The rules that were proposed together. */
export interface StoredProposals {
  /** A unique id of the list: eight letters or digits. */
  readonly id: string;
  /** When the proposals were made, in ms since the epoch. */
  readonly createdAt: number;
  /** The version of the rules at the time of the proposals. */
  readonly rulesVersion: string;
  readonly proposals: readonly StoredProposal[];
  /** Number of proposals that cannot be read and are left out; absent if all can be read. */
  readonly damaged?: number;
}

/** The last proposals. They are in one row, so that they change atomically. */
export type Proposals = ReturnType<typeof createProposals>;

const KEY = 'proposals';
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const codec = json<StoredProposals>(
  (value) =>
    isRecord(value) && typeof value.id === 'string' && isTime(value.createdAt) && Array.isArray(value.proposals),
);

function isProposal(value: unknown): boolean {
  return (
    isRecord(value) &&
    isCount(value.number) &&
    saysRule(value.rule) &&
    typeof value.reason === 'string' &&
    isRecord(value.evidence) &&
    isCount(value.rows) &&
    isCount(value.fetched) &&
    typeof value.domain === 'string'
  );
}

function withoutDamaged(stored: StoredProposals): StoredProposals {
  const proposals = stored.proposals.filter(isProposal);
  const damaged = stored.proposals.length - proposals.length;
  return damaged === 0 ? stored : { ...stored, proposals, damaged };
}

export function createProposals(store: Store) {
  return {
    /** Returns the last proposals, without those that cannot be read; undefined if there is no proposal. */
    async read(): Promise<StoredProposals | undefined> {
      const [row] = await store.get('rule', [KEY], [INDEX_COLUMNS.proposals]);
      // If they cannot be read, the next run of `rules propose` makes them again.
      const stored = readableValue(row, INDEX_COLUMNS.proposals, codec);
      return stored && withoutDamaged(stored);
    },

    put(proposals: StoredProposals): Promise<void> {
      return store.write('rule', [{ key: KEY, put: new Map([[INDEX_COLUMNS.proposals, codec.encode(proposals)]]) }]);
    },
  };
}
