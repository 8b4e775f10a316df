import { json } from '../pages/codec.js';
import type { JsonValue } from '../pages/page.js';
import { INDEX_COLUMNS } from '../schema.js';
import type { Store } from '../store.js';
import { isTime, saysRule, type UrlRule, type WwwRule } from './rules.js';

/** What a rule that is proposed says. */
export type ProposedRule = Pick<UrlRule, 'kind' | 'scope' | 'pattern'> | Pick<WwwRule, 'kind' | 'scope' | 'to'>;

/** A rule that the crawler proposes. Plain data, fit for JSON. */
export interface StoredProposal {
  /** By which it is applied: from 1 on, in the list it is in. */
  readonly number: number;
  readonly rule: ProposedRule;
  /** Why: `useless_prefix`, … */
  readonly reason: string;
  /** The figures for it; examples of URLs are untrusted. */
  readonly evidence: { readonly [name: string]: JsonValue };
  /** Pages that it cuts. */
  readonly rows: number;
  /** Of these, pages that were fetched. */
  readonly fetched: number;
  /** The registrable domain that it is of. */
  readonly domain: string;
  /** The documents that it cuts are those of pages that stay. */
  readonly isOfCopies?: true;
}

/** The rules that were proposed together. */
export interface StoredProposals {
  /** Differs for every list; eight letters or digits. */
  readonly id: string;
  /** In ms since the epoch. */
  readonly createdAt: number;
  /** The version of the rules by which it was made. */
  readonly rulesVersion: string;
  readonly proposals: readonly StoredProposal[];
  /** Proposals that cannot be read, and are left out; absent for none. */
  readonly damaged?: number;
}

/** The rules that were proposed last, as one row, so that they change as one. */
export type Proposals = ReturnType<typeof createProposals>;

const KEY = 'proposals';
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 0;
const codec = json<StoredProposals>(
  (value) =>
    isObject(value) && typeof value.id === 'string' && isTime(value.createdAt) && Array.isArray(value.proposals),
);

function isProposal(value: unknown): boolean {
  return (
    isObject(value) &&
    isCount(value.number) &&
    saysRule(value.rule) &&
    typeof value.reason === 'string' &&
    isObject(value.evidence) &&
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
    /** Without those that cannot be read; undefined where none were made, or none can be read. */
    async read(): Promise<StoredProposals | undefined> {
      const [row] = await store.get('rule', [KEY], [INDEX_COLUMNS.proposals]);
      const cell = row?.cells.get(INDEX_COLUMNS.proposals);
      try {
        return cell && withoutDamaged(codec.decode(cell));
      } catch {
        // They are made anew with the next run.
        return undefined;
      }
    },

    /** Puts a list in place of the one that is there. */
    put(proposals: StoredProposals): Promise<void> {
      return store.write('rule', [{ key: KEY, put: new Map([[INDEX_COLUMNS.proposals, codec.encode(proposals)]]) }]);
    },
  };
}
