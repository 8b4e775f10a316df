import { hostKeyOfRow, type HostKey, type LogItem, type PageRow } from '../../../webtable/index.js';
import { foundNow, type LOGGED_FIELDS } from './note-change.js';

/** A host looks broken if more than this share of its requested pages, and at least {@link MIN_FAILURES} pages, turn into failures in one batch. */
const FAILURE_SHARE = 0.2;
const MIN_FAILURES = 5;

type HostItem = Extract<LogItem, { readonly kind: 'host' }>;

interface Figures {
  requested: number;
  failing: number;
}

export type HostFailures = ReturnType<typeof createHostFailures>;

/**
 * Counts, for each host, the pages of a batch that existed before this batch and fail in it. Only the figures for one queue are in memory
 * at a time.
 */
export function createHostFailures(batchId: string) {
  const found: HostItem[] = [];
  let hosts = new Map<HostKey, Figures>();
  let current: string | undefined;

  function judge(): void {
    for (const [host, { requested, failing }] of hosts) {
      if (failing < MIN_FAILURES || failing <= FAILURE_SHARE * requested) continue;
      found.push({ kind: 'host', host, found: { failing, requested } });
    }
    hosts = new Map();
  }

  return {
    /** Adds a row. Add rows in the order of the batch, in which all rows of a queue are together. */
    add(row: PageRow<(typeof LOGGED_FIELDS)[number]>, queue: string): void {
      if (queue !== current) judge();
      current = queue;
      const now = foundNow(row, batchId);
      if (!now) return;
      const host = hostKeyOfRow(row.key);
      const figures = hosts.get(host) ?? { requested: 0, failing: 0 };
      hosts.set(host, figures);
      figures.requested++;
      const { stands, failing } = row.logged ?? {};
      if (now.is === 'failing' && stands !== undefined && !failing) figures.failing++;
    },
    /** Returns the log entries of the hosts that look broken. */
    items(): readonly HostItem[] {
      judge();
      return found;
    },
  };
}
