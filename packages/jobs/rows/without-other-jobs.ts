import type { WebTable } from '../../../webtable/index.js';

const TURNS = ['rows', 'generate', 'updatedb', 'fetch'];

/** Runs a task that must be alone on the table; it waits for the jobs under way, and they for it. */
export function withoutOtherJobs(table: Pick<WebTable, 'exclusive'>, task: () => Promise<void>): Promise<void> {
  return TURNS.reduce<() => Promise<void>>((inner, name) => () => table.exclusive(name, inner), task)();
}
