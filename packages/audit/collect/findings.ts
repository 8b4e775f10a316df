import { hash } from 'node:crypto';
import { createRecordSorter, type KeyFile } from '../../scan/index.js';
import { urlOf } from '../../core/index.js';
import { LINK_KINDS } from '../facts/kinds.js';
import type { AuditFinding, AuditRule, AuditSource, AuditSummary, Severity } from '../report.js';
import type { Found } from '../rule.js';
import type { LinkRecord } from './records.js';
import { NO_SOURCES, type Sources } from './sources.js';

const ORDER: Readonly<Record<Severity, number>> = { error: 0, warn: 1, notice: 2 };
const STATES: Readonly<Record<AuditFinding['state'], number>> = { open: 0, unverified: 1, inconclusive: 2 };
const HEAD = 14;
const NO_LINKS = 2 ** 32 - 1;

export type FindingSorter = ReturnType<typeof createFindings>;

export function createFindings(folder: string, memory: number) {
  const sorter = createRecordSorter({ folder, memory });
  const counts: { -readonly [K in keyof AuditSummary['counts']]: number } = {
    error: 0,
    warn: 0,
    notice: 0,
    unverified: 0,
    new: 0,
  };
  const places = new WeakMap<AuditFinding, number>();
  return {
    counts,
    /** @param kept the number of its links in the link store; undefined: the finding has no links */
    async add(finding: AuditFinding, kept: number | undefined): Promise<void> {
      const { severity, state, impact, isNew } = finding;
      if (state === 'unverified') counts.unverified += 1;
      else if (state === 'open') counts[severity] += 1;
      if (isNew) counts.new += 1;
      const head = Buffer.alloc(HEAD);
      head[0] = ORDER[severity];
      head[1] = STATES[state];
      // Positive doubles sort like their bytes. The bytes are inverted for descending order.
      head.writeDoubleBE(Math.max(0, impact), 2);
      for (let at = 2; at < HEAD - 4; at++) head[at] = 255 - head[at]!;
      head.writeUInt32BE(kept ?? NO_LINKS, HEAD - 4);
      await sorter.add(Buffer.concat([head, Buffer.from(JSON.stringify(finding))]));
    },
    async *sorted(): AsyncGenerator<AuditFinding> {
      for await (const record of sorter.sorted()) {
        const finding = JSON.parse(record.toString('utf8', HEAD)) as AuditFinding;
        const kept = record.readUInt32BE(HEAD - 4);
        if (kept !== NO_LINKS) places.set(finding, kept);
        yield finding;
      }
    },
    keptOf: (finding: AuditFinding): number | undefined => places.get(finding),
  };
}

export async function findingOf(
  rule: AuditRule,
  found: Found & { readonly url: string },
  keys: KeyFile,
  isNew: AuditFinding['isNew'],
): Promise<AuditFinding> {
  const {
    url,
    key = url,
    part = '',
    severity = rule.severity,
    state = 'open',
    message,
    evidence = {},
    sources = NO_SOURCES,
  } = found;
  const { impact = sources.impact, since, lastOkAt, lastRequestAt } = found;
  return {
    id: hash('sha256', `${rule.id}\0${key}\0${part}`).slice(0, 16),
    rule: rule.id,
    severity,
    url,
    message,
    state,
    ...(since !== undefined && since > 0 && { since }),
    ...(lastOkAt !== undefined && lastOkAt > 0 && { lastOkAt }),
    ...(lastRequestAt !== undefined && lastRequestAt > 0 && { lastRequestAt }),
    ...(isNew && { isNew }),
    impact,
    evidence,
    sources: { total: sources.total, shown: await shownOf(sources, keys) },
  };
}

async function shownOf({ shown }: Sources, keys: KeyFile): Promise<AuditSource[]> {
  const all: AuditSource[] = [];
  for (const each of shown) all.push(await sourceOf(each.row, each, keys));
  return all;
}

export async function sourceOf(
  row: number,
  { anchor, kind, line }: Pick<LinkRecord, 'anchor' | 'kind' | 'line'>,
  keys: KeyFile,
): Promise<AuditSource> {
  return { url: urlOf(await keys.get(row)), anchor, kind: LINK_KINDS[kind] ?? 'a', ...(line > 0 && { line }) };
}
