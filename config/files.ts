import { readFileSync } from 'node:fs';

/** The rule files that come with webcrawl. */
export type ShippedFile = 'regex-urlfilter.txt' | 'regex-normalize.txt';

/** Returns the text of a rule file that comes with webcrawl. This file is used if the settings name no other one. */
export function readShippedFile(name: ShippedFile): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
