/**
 * The rules: stored decisions on URLs by the operator or the crawler. All rules are in one row. So an edit of even a thousand rules is made
 * completely or not at all. The version is also in a row of its own, so that a check for changes is one small read. The row of the version
 * is written before the row of the rules. If the versions in the two rows differ, an edit is running or was killed. The version in the row
 * of the rules is then right.
 */
import { randomUUID } from 'node:crypto';
import { inTimeSlices, sortSteps, type Exclusive, type Steps } from '../../packages/util/index.js';
import { isRecord, json, text } from '../pages/codec.js';
import type { JsonValue } from '../pages/page.js';
import { INDEX_COLUMNS, RULE_COLUMN_PREFIX } from '../schema.js';
import type { Column, Store, StoredRow } from '../store.js';
import { changeShared } from '../change-shared.js';
import { isTime } from './moments.js';
import { clearCounts, createRuleCounts } from './rule-counts.js';

/** The kind of a rule. A rule marks URLs as relevant, accepts them, rejects them, or sets the spelling of a domain. */
export type RuleKind = 'relevant' | 'accept' | 'reject' | 'www';

/** The URLs to which a rule can apply: all URLs, the URLs of one host, or the URLs of a domain with its sub-domains. */
export type RuleScope = '*' | `host:${string}` | `domain:${string}`;

/**
 * Selects URLs of the scope. `prefix` selects the URLs that begin with this text. A prefix that begins with `/` is compared with path and
 * query. `regex` selects the URLs in which the pattern is found.
 */
export type RulePattern = { readonly prefix: string } | { readonly regex: string };

/** The fields of every rule. */
export interface AnyRule {
  /** `r1`, `r2`, … An id is never used again, even after its rule was removed. */
  readonly id: string;
  readonly scope: RuleScope;
  /** Who made the rule: a person, or the crawler from its table. */
  readonly origin: 'hand' | 'generated';
  /** The figures that supported the proposal of the rule. */
  readonly evidence?: JsonValue;
  /** When the rule was created, in ms since the epoch. */
  readonly createdAt: number;
  /** When `state` was last changed, in ms since the epoch. */
  readonly changedAt: number;
  readonly state: 'active' | 'disabled';
  /** A note by the author of the rule. */
  readonly note?: string;
}

/** A rule on URLs. */
export interface UrlRule extends AnyRule {
  readonly kind: 'relevant' | 'accept' | 'reject';
  readonly pattern: RulePattern;
}

/** A rule on the spelling of a domain's host: `www.example.com` or `example.com`. */
export interface WwwRule extends AnyRule {
  readonly kind: 'www';
  readonly scope: `domain:${string}`;
  readonly to: 'with' | 'without';
}

/** A rule of the table, as plain data for JSON. */
export type Rule = UrlRule | WwwRule;

/** All rules as they were at one moment. */
export interface StoredRules {
  /** Differs after every edit; empty before the first edit. */
  readonly version: string;
  /** The rules, the oldest first. */
  readonly rules: readonly Rule[];
  /** The ids of rules that cannot be read; these rules stay unchanged in the table. */
  readonly damaged: readonly string[];
}

/** A change of the rules. */
export interface RuleEdit {
  /** New rules, and rules that replace rules with the same id. */
  readonly put?: readonly Rule[];
  /** The ids of rules to remove. */
  readonly remove?: readonly string[];
}

export type Rules = ReturnType<typeof createRules>;

const ALL = 'rules';
const VERSION = 'version';
const WWW_APPLIED = 'www';
const VERSION_COLUMN = [INDEX_COLUMNS.rulesVersion];

const isPattern = (value: unknown): boolean =>
  isRecord(value) &&
  ('prefix' in value ? typeof value.prefix === 'string' && !('regex' in value) : typeof value.regex === 'string');

/** Whether a value is a rule, with a kind, a scope and a pattern. */
export function saysRule(value: unknown): boolean {
  if (!isRecord(value)) return false;
  const { kind, scope, pattern, to } = value;
  if (typeof scope !== 'string' || !/^(\*$|host:|domain:)/.test(scope)) return false;
  if (kind === 'www') return scope.startsWith('domain:') && (to === 'with' || to === 'without');
  return (kind === 'relevant' || kind === 'accept' || kind === 'reject') && isPattern(pattern);
}

const ruleCodec = json<Omit<Rule, 'id'>>(
  (value) => isRecord(value) && isTime(value.createdAt) && isTime(value.changedAt) && saysRule(value),
);

/** The number in an id. It increases with every new rule. */
export const numberOfRule = (id: string): number => Number(id.slice(1));

export function createRules(store: Store, exclusive: Exclusive) {
  async function readRow(): Promise<StoredRow | undefined> {
    const [row] = await store.get('rule', [ALL], ['r']);
    return row;
  }

  let edits = 0;

  return {
    ...createRuleCounts(store),

    /** Number of edits by this process, including failed ones. Edits of other processes do not count. */
    edits: (): number => edits,

    /**
     * Returns the version of the rules. The version changes with every edit, and is empty before the first edit. The call is one small
     * read.
     */
    async version(): Promise<string> {
      const [row] = await store.get('rule', [VERSION], VERSION_COLUMN);
      const cell = row?.cells.get(INDEX_COLUMNS.rulesVersion);
      return cell ? text.decode(cell) : '';
    },

    /**
     * Returns the `www` rules that were last applied to all rows, as `noteWwwApplied` has recorded them; empty if no rules were applied.
     */
    async wwwApplied(): Promise<string> {
      const [row] = await store.get('rule', [WWW_APPLIED], [INDEX_COLUMNS.wwwApplied]);
      const cell = row?.cells.get(INDEX_COLUMNS.wwwApplied);
      return cell ? text.decode(cell) : '';
    },

    /** Records that `www` rules were applied to all rows. */
    noteWwwApplied(rules: string): Promise<void> {
      return store.write('rule', [
        { key: WWW_APPLIED, put: new Map([[INDEX_COLUMNS.wwwApplied, text.encode(rules)]]) },
      ]);
    },

    /** Returns all rules, as they were at one moment. */
    async read(): Promise<StoredRules> {
      return inTimeSlices(ruleSteps(await readRow()));
    },

    /**
     * Edits the rules atomically. After a kill, either the whole edit is stored or no part of it. If another process has edited the rules
     * meanwhile, `decide` is called again.
     * @param decide returns the edit for the present rules. `nextId` returns the id of a new rule. If `decide` returns undefined or throws,
     * nothing is changed
     * @returns the rules after the change
     */
    async change(decide: (stored: StoredRules, nextId: () => string) => RuleEdit | undefined): Promise<StoredRules> {
      let result: StoredRules | undefined;
      let removed: readonly string[] = [];
      const row = { table: 'rule', keys: [ALL], column: INDEX_COLUMNS.rulesVersion, columns: ['r'] } as const;
      try {
        await changeShared(store, exclusive, row, async (_, found) => {
          const before = await inTimeSlices(ruleSteps(found));
          const lastCell = found?.cells.get(INDEX_COLUMNS.lastRule);
          let last = lastCell ? Number(text.decode(lastCell)) : 0;
          const edit = decide(before, () => `r${++last}`);
          result = before;
          removed = edit?.remove ?? [];
          if (!edit) return undefined;
          const version = randomUUID();
          result = after(before, version, edit);
          const put = new Map<Column, Uint8Array>([
            [INDEX_COLUMNS.rulesVersion, text.encode(version)],
            [INDEX_COLUMNS.lastRule, text.encode(String(last))],
          ]);
          for (const { id, ...rule } of edit.put ?? []) put.set(columnOf(id), ruleCodec.encode(rule));
          await store.write('rule', [
            { key: VERSION, put: new Map([[INDEX_COLUMNS.rulesVersion, text.encode(version)]]) },
          ]);
          return { put, delete: removed.map(columnOf) };
        });
        // The counts of a removed rule are useless. If a kill prevents this removal, the next count removes them.
        await store.write('rule', removed.map(clearCounts));
        return result!;
      } finally {
        edits += 1;
      }
    },
  };
}

/** Cells to decode in one step. */
const STEP = 200;

/** Reads the rules in a row, the oldest first. */
function* ruleSteps(row: StoredRow | undefined): Steps<StoredRules> {
  const found: { readonly rule: Rule; readonly number: number }[] = [];
  const damaged: string[] = [];
  let cells = 0;
  for (const [column, cell] of row?.cells ?? []) {
    if (++cells % STEP === 0) yield;
    if (!column.startsWith(RULE_COLUMN_PREFIX)) continue;
    const id = column.slice(RULE_COLUMN_PREFIX.length);
    try {
      found.push({ rule: { ...ruleCodec.decode(cell), id } as Rule, number: numberOfRule(id) });
    } catch {
      damaged.push(id);
    }
  }
  const sorted = yield* sortSteps(found, (a, b) => a.number - b.number);
  const version = row?.cells.get(INDEX_COLUMNS.rulesVersion);
  return { version: version ? text.decode(version) : '', rules: sorted.map(({ rule }) => rule), damaged };
}

const columnOf = (id: string): Column => `${RULE_COLUMN_PREFIX}${id}` as Column;

function after({ rules, damaged }: StoredRules, version: string, { put = [], remove = [] }: RuleEdit): StoredRules {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  for (const rule of put) byId.set(rule.id, rule);
  for (const id of remove) byId.delete(id);
  const sorted = [...byId.values()].sort((a, b) => numberOfRule(a.id) - numberOfRule(b.id));
  return { version, rules: sorted, damaged: damaged.filter((id) => !remove.includes(id)) };
}
