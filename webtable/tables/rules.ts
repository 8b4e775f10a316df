/**
 * The rules: what the operator, or the crawler itself, has said of URLs while the crawl goes on. All of them are one row, so that
 * any edit, also of a thousand at once, is made as a whole or not at all. The version is in a row of its own as well, so that
 * looking whether anything has changed is one small read. It is written before the rules: where the two differ, an edit is being
 * made, or was killed, and the rules say what holds.
 */
import { randomUUID } from 'node:crypto';
import { json, text } from '../pages/codec.js';
import type { JsonValue } from '../pages/page.js';
import { scanSteps } from '../scan-steps.js';
import { INDEX_COLUMNS, RULE_COLUMN_PREFIX } from '../schema.js';
import type { Column, RowChange, Store, StoredRow } from '../store.js';
import type { Exclusive } from '../stores/locks.js';
import { untilUnchanged, writeUnchanged } from '../write-unchanged.js';
import { clearHistory, createRuleHistory } from './rule-history.js';

/** What a rule is for: it marks URLs worth having, takes or refuses URLs, or says how a domain is written. */
export type RuleKind = 'useful' | 'accept' | 'reject' | 'www';

/** Of which URLs it is: of all, of one host, or of a domain with its sub-domains. */
export type RuleScope = '*' | `host:${string}` | `domain:${string}`;

/** Which URLs of its scope: those that begin so (with `/`: path and query; else the whole URL), or in which the pattern is found. */
export type RulePattern = { readonly prefix: string } | { readonly regex: string };

/** What any rule has. */
export interface AnyRule {
  /** `r1`, `r2`, …: never given again, also after the rule was removed. */
  readonly id: string;
  readonly scope: RuleScope;
  /** Who made it: a person, or the crawler from its table. */
  readonly origin: 'hand' | 'generated';
  /** The figures for which it was proposed. */
  readonly evidence?: JsonValue;
  /** In ms since the epoch. */
  readonly createdAt: number;
  /** When its state was last changed, in ms since the epoch. */
  readonly changedAt: number;
  readonly state: 'active' | 'disabled';
  /** What the one who made it says of it. */
  readonly note?: string;
}

/** A rule on URLs. */
export interface UrlRule extends AnyRule {
  readonly kind: 'useful' | 'accept' | 'reject';
  readonly pattern: RulePattern;
}

/** A rule on how the host of a domain is written: `www.example.com` or `example.com`. */
export interface WwwRule extends AnyRule {
  readonly kind: 'www';
  readonly scope: `domain:${string}`;
  readonly to: 'with' | 'without';
}

/** A rule of the table. Plain data, fit for JSON. */
export type Rule = UrlRule | WwwRule;

/** All rules as they were at one moment. */
export interface StoredRules {
  /** Differs after every edit; empty where there was none. */
  readonly version: string;
  /** By age. */
  readonly rules: readonly Rule[];
  /** The ids of those that cannot be read; they stay in the table as they are. */
  readonly damaged: readonly string[];
}

/** What to change. */
export interface RuleEdit {
  /** Rules that are new, or take the place of those with their ids. */
  readonly put?: readonly Rule[];
  /** Ids. */
  readonly remove?: readonly string[];
}

/** What a rule has decided; each number is what the rows say, as far as it is known. */
export interface RuleCounts {
  /** Rows that generate passes over because of it. */
  readonly refused: number;
  /** Rows that are fit because of it. */
  readonly fit: number;
  /** Links on stored pages that it has cut. */
  readonly links: number;
}

/** The rules of a table. */
export type Rules = ReturnType<typeof createRules>;

const ALL = 'rules';
const VERSION = 'version';
const COUNTS = 'c|';
const WWW_APPLIED = 'www';
const VERSION_COLUMN = [INDEX_COLUMNS.rulesVersion];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
/** Milliseconds since 1970 of the last moment that has a date. */
export const LAST_MOMENT = 8.64e15;
/** Whether a value that was read is a moment that has a date. */
export const isTime = (value: unknown): boolean => typeof value === 'number' && Math.abs(value) <= LAST_MOMENT;
const isPattern = (value: unknown): boolean =>
  isObject(value) &&
  ('prefix' in value ? typeof value.prefix === 'string' && !('regex' in value) : typeof value.regex === 'string');

/** Whether a value that was read says what a rule is for, and of which URLs it is. */
export function saysRule(value: unknown): boolean {
  if (!isObject(value)) return false;
  const { kind, scope, pattern, to } = value;
  if (typeof scope !== 'string' || !/^(\*$|host:|domain:)/.test(scope)) return false;
  if (kind === 'www') return scope.startsWith('domain:') && (to === 'with' || to === 'without');
  return (kind === 'useful' || kind === 'accept' || kind === 'reject') && isPattern(pattern);
}

const ruleCodec = json<Omit<Rule, 'id'>>(
  (value) => isObject(value) && isTime(value.createdAt) && isTime(value.changedAt) && saysRule(value),
);
const countsCodec = json<Partial<RuleCounts>>(isObject);

/** The number in an id, which is its age. */
export const numberOfRule = (id: string): number => Number(id.slice(1));

export function createRules(store: Store, exclusive: Exclusive) {
  async function readRow(): Promise<StoredRow | undefined> {
    const [row] = await store.get('rule', [ALL], ['r']);
    return row;
  }

  function toRules(row: StoredRow | undefined): StoredRules {
    const rules: Rule[] = [];
    const damaged: string[] = [];
    for (const [column, cell] of row?.cells ?? []) {
      if (!column.startsWith(RULE_COLUMN_PREFIX)) continue;
      const id = column.slice(RULE_COLUMN_PREFIX.length);
      try {
        rules.push({ ...ruleCodec.decode(cell), id } as Rule);
      } catch {
        damaged.push(id);
      }
    }
    rules.sort((a, b) => numberOfRule(a.id) - numberOfRule(b.id));
    const version = row?.cells.get(INDEX_COLUMNS.rulesVersion);
    return { version: version ? text.decode(version) : '', rules, damaged };
  }

  const alone = <T>(attempt: () => Promise<{ readonly done: T } | 'lost'>): Promise<T> =>
    untilUnchanged(store, exclusive, attempt);

  async function allCounts(): Promise<Map<string, RuleCounts>> {
    const all = new Map<string, RuleCounts>();
    const range = { start: COUNTS, end: 'c}' };
    for await (const rows of scanSteps(store, 'rule', [INDEX_COLUMNS.ruleCounts], [range], 1000)) {
      for (const { key, cells } of rows) all.set(key.slice(COUNTS.length), toCounts(cells));
    }
    return all;
  }

  const countRows = (ids: readonly string[]): Promise<readonly (StoredRow | undefined)[]> =>
    store.get(
      'rule',
      ids.map((id) => `${COUNTS}${id}`),
      [INDEX_COLUMNS.ruleCounts],
    );

  const putCounts = (id: string, counts: RuleCounts): RowChange => ({
    key: `${COUNTS}${id}`,
    put: new Map([[INDEX_COLUMNS.ruleCounts, countsCodec.encode(counts)]]),
  });

  const history = createRuleHistory(store);

  return {
    histories: history.histories,

    /** Notes what some rules have decided by now, for their histories; nothing of rules that are not there any more. */
    async noteCounts(ids: readonly string[], at: number): Promise<void> {
      const [all] = await store.get('rule', [ALL], ids.map(columnOf));
      const there = ids.filter((id) => all?.cells.has(columnOf(id)));
      const rows = await countRows(there);
      await history.noteCounts(new Map(there.map((id, i) => [id, toCounts(rows[i]?.cells)])), at);
    },

    /** Changes with every edit; empty where there was none. One small read. */
    async version(): Promise<string> {
      const [row] = await store.get('rule', [VERSION], VERSION_COLUMN);
      const cell = row?.cells.get(INDEX_COLUMNS.rulesVersion);
      return cell ? text.decode(cell) : '';
    },

    /** The `www` rules that were applied to all rows, as `noteWwwApplied` was given them; empty: none. */
    async wwwApplied(): Promise<string> {
      const [row] = await store.get('rule', [WWW_APPLIED], [INDEX_COLUMNS.wwwApplied]);
      const cell = row?.cells.get(INDEX_COLUMNS.wwwApplied);
      return cell ? text.decode(cell) : '';
    },

    /** Notes that `www` rules were applied to all rows. */
    noteWwwApplied(rules: string): Promise<void> {
      return store.write('rule', [
        { key: WWW_APPLIED, put: new Map([[INDEX_COLUMNS.wwwApplied, text.encode(rules)]]) },
      ]);
    },

    /** All rules, of one moment. */
    async read(): Promise<StoredRules> {
      return toRules(await readRow());
    },

    /**
     * Edits the rules while nobody else does, as a whole: after a kill all of the edit is there, or nothing. Where somebody else was
     * faster, it is decided on anew.
     * @param decide by the rules as they are; `nextId` gives the id of a new rule. Undefined, or what it throws: nothing is changed
     * @returns the rules as they are then
     */
    change(decide: (stored: StoredRules, nextId: () => string) => RuleEdit | undefined): Promise<StoredRules> {
      return alone(async () => {
        const row = await readRow();
        const before = toRules(row);
        const lastCell = row?.cells.get(INDEX_COLUMNS.lastRule);
        let last = lastCell ? Number(text.decode(lastCell)) : 0;
        const edit = decide(before, () => `r${++last}`);
        if (!edit) return { done: before };
        const version = randomUUID();
        const put = new Map<Column, Uint8Array>([
          [INDEX_COLUMNS.rulesVersion, text.encode(version)],
          [INDEX_COLUMNS.lastRule, text.encode(String(last))],
        ]);
        for (const { id, ...rule } of edit.put ?? []) put.set(columnOf(id), ruleCodec.encode(rule));
        const remove = edit.remove ?? [];
        await store.write('rule', [
          { key: VERSION, put: new Map([[INDEX_COLUMNS.rulesVersion, text.encode(version)]]) },
        ]);
        const change: RowChange = { key: ALL, put, delete: remove.map(columnOf) };
        const lost = await writeUnchanged(store, 'rule', [{ change, version: row?.version }]);
        if (lost.size > 0) return 'lost';
        // What a rule had counted is of no use without it; left by a kill it harms nobody.
        if (remove.length > 0)
          await store.write(
            'rule',
            remove.flatMap((id) => [{ key: `${COUNTS}${id}`, clear: true }, clearHistory(id)]),
          );
        return { done: after(before, version, edit) };
      });
    },

    /** What each rule has decided, by id; those that have decided nothing may be absent. */
    counts: allCounts,

    /** What some rules have decided, by id; 0 of those that have decided nothing. */
    async countsOf(ids: readonly string[]): Promise<Map<string, RuleCounts>> {
      const rows = await countRows(ids);
      return new Map(ids.map((id, i) => [id, toCounts(rows[i]?.cells)]));
    },

    /** Adds differences to the counts of rules; those of rules that are not there any more are dropped. */
    addCounts(changes: ReadonlyMap<string, Partial<RuleCounts>>): Promise<void> {
      const ids = [...changes.keys()];
      if (ids.length === 0) return Promise.resolve();
      return alone(async () => {
        const known = await store.get('rule', [ALL], ids.map(columnOf));
        const there = ids.filter((id) => known[0]?.cells.has(columnOf(id)));
        const rows = await countRows(there);
        const lost = await writeUnchanged(
          store,
          'rule',
          there.map((id, i) => {
            const before = toCounts(rows[i]?.cells);
            return { change: putCounts(id, plus(before, changes.get(id)!)), version: rows[i]?.version };
          }),
        );
        if (lost.size === 0) return { done: undefined };
        // Only those that somebody else has changed meanwhile are added again.
        changes = new Map([...changes].filter(([id]) => lost.has(`${COUNTS}${id}`)));
        ids.splice(0, ids.length, ...changes.keys());
        return 'lost';
      });
    },

    /** Puts counts that were made from the rows in place of all that are there. */
    async replaceCounts(counts: ReadonlyMap<string, RuleCounts>): Promise<void> {
      const before = await allCounts();
      const gone = [...before.keys()].filter((id) => !counts.has(id));
      const changes: RowChange[] = [
        ...Array.from(counts, ([id, each]) => putCounts(id, each)),
        ...gone.map((id) => ({ key: `${COUNTS}${id}`, clear: true })),
      ];
      if (changes.length > 0) await store.write('rule', changes);
      const row = await readRow();
      await history.sweepHistories((id) => row?.cells.has(columnOf(id)) ?? false);
    },
  };
}

const columnOf = (id: string): Column => `${RULE_COLUMN_PREFIX}${id}` as Column;

function after({ rules, damaged }: StoredRules, version: string, { put = [], remove = [] }: RuleEdit): StoredRules {
  const byId = new Map(rules.map((rule) => [rule.id, rule]));
  for (const rule of put) byId.set(rule.id, rule);
  for (const id of remove) byId.delete(id);
  const sorted = [...byId.values()].sort((a, b) => numberOfRule(a.id) - numberOfRule(b.id));
  return { version, rules: sorted, damaged: damaged.filter((id) => !remove.includes(id)) };
}

function toCounts(cells: ReadonlyMap<string, Uint8Array> | undefined): RuleCounts {
  const cell = cells?.get(INDEX_COLUMNS.ruleCounts);
  let found: Partial<RuleCounts> = {};
  try {
    if (cell) found = countsCodec.decode(cell);
  } catch {
    // They can be counted anew from the rows.
  }
  const { refused = 0, fit = 0, links = 0 } = found;
  return { refused, fit, links };
}

function plus(before: RuleCounts, { refused = 0, fit = 0, links = 0 }: Partial<RuleCounts>): RuleCounts {
  return {
    refused: Math.max(0, before.refused + refused),
    fit: Math.max(0, before.fit + fit),
    links: Math.max(0, before.links + links),
  };
}
