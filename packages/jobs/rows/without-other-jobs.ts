import type { Tables } from '../../../webtable/index.js';

const TURNS = ['rows', 'generate', 'updatedb', 'fetch'];

/** Runs a task that must be alone on the table; it waits for the jobs under way, and they for it. */
export function withoutOtherJobs(tables: Pick<Tables, 'exclusive'>, task: () => Promise<void>): Promise<void> {
  return TURNS.reduce<() => Promise<void>>((inner, name) => () => tables.exclusive(name, inner), task)();
}
