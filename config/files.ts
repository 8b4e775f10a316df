import { readFileSync } from 'node:fs';

/** The rule files that come with webcrawl. */
export type ShippedFile = 'regex-urlfilter.txt' | 'regex-normalize.txt';

/** The text of a rule file that comes with webcrawl and is used where the settings name no other. */
export function readShippedFile(name: ShippedFile): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
