import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const folder = process.env['WEBCRAWL_REFERENCE'] ?? join(import.meta.dirname, '../../../shared/reference/cases');
const present = existsSync(folder);

/** A test title with a note if the recorded cases of the reference implementation are not available. */
export function referenceTitle(title: string): string {
  return present ? title : `${title} (skipped: no reference cases; WEBCRAWL_REFERENCE names their folder)`;
}

/** The content of a file of cases. Undefined: the cases are not available. */
export function readReference<T>(file: string): T | undefined {
  return present ? (JSON.parse(readFileSync(join(folder, file), 'utf8')) as T) : undefined;
}
