import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../..', import.meta.url));
const folder = process.env.WEBCRAWL_REFERENCE ?? join(root, '../shared/reference/cases');

/** Whether the cases recorded from the reference implementation are at hand. */
export const hasReference = existsSync(folder);

/** A title that says it where the cases are not. */
export function referenceTitle(title: string): string {
  return hasReference ? title : `${title} (skipped: no reference cases; WEBCRAWL_REFERENCE names their folder)`;
}

/** The content of a file of cases, undefined where there are none. */
export function readReference<T>(file: string): T | undefined {
  return hasReference ? (JSON.parse(readFileSync(join(folder, file), 'utf8')) as T) : undefined;
}
