import { readFileSync } from 'node:fs';

export type ShippedFile = 'regex-urlfilter.txt' | 'regex-normalize.txt';

export function readShippedFile(name: ShippedFile): string {
  return readFileSync(new URL(name, import.meta.url), 'utf8');
}
