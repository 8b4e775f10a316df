import { CrawlError, safeText } from '../../packages/errors/index.js';

/** The process that has a table open. */
export interface TableOwner {
  readonly pid: number;
  /** The work of the process: the verb of the command, or a name that a service has set. */
  readonly name: string;
  /** The version of webcrawl that the process runs. */
  readonly version: string;
  /** Whether the process needs the table alone. Otherwise it only reads or injects, and may end soon. */
  readonly alone: boolean;
}

/** `process 4711 (crawl)`; safe for a terminal. */
export function ownerText({ pid, name }: TableOwner): string {
  return `process ${pid} (${safeText(name, 40)})`;
}

/** The error for an action that is impossible while another process has the table open. */
export function lockedBy(owner: TableOwner, directory: string): CrawlError {
  return new CrawlError('TABLE_LOCKED', `the table in ${directory} is in use by ${ownerText(owner)}`, {
    hint: 'wait for that process to end (--wait <seconds>), or stop it; commands that read, inject and rules work meanwhile',
  });
}
