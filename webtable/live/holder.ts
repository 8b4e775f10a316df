import { CrawlError, safeText } from '../../packages/errors/index.js';

/** The process that has a table open. */
export interface Holder {
  readonly pid: number;
  /** What it does with the table: the verb of the command, or what a service calls itself. */
  readonly name: string;
  /** The version of webcrawl that it runs. */
  readonly version: string;
  /** It needs the table for itself. Otherwise it only reads or injects, and may soon be done. */
  readonly alone: boolean;
}

/** `process 4711 (crawl)`; safe for a terminal. */
export function holderText({ pid, name }: Holder): string {
  return `process ${pid} (${safeText(name, 40)})`;
}

/** The error for what cannot be done while another process has the table open. */
export function lockedBy(holder: Holder, directory: string): CrawlError {
  return new CrawlError(
    'TABLE_LOCKED',
    `expected the table in ${directory} to be free, found it open in ${holderText(holder)}`,
    {
      hint: 'wait for it to end (--wait <seconds> does), or stop it; readdb, explain, check, inject and status work meanwhile',
    },
  );
}
