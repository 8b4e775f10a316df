import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH, PEERS } from './folders.js';

/** The folders into which `bench/install.sh` puts htmldate, and the pages with their dates. */
export const DATES = {
  python: join(PEERS, 'htmldate/bin/python'),
  finder: join(BENCH, 'peers/htmldate/find.py'),
  pages: join(PEERS, 'date-pages'),
} as const;

/** The names of all date finders. */
export const DATE_FINDERS = ['webcrawl', 'htmldate', 'htmldate-fast'] as const;

/** The name of a date finder. */
export type DateFinder = (typeof DATE_FINDERS)[number];

/** Whether a date finder is installed. */
export function hasFinder(name: DateFinder): boolean {
  return name === 'webcrawl' || existsSync(DATES.python);
}

/** Whether the pages are installed. */
export function hasDatePages(): boolean {
  return existsSync(DATES.pages);
}

/** The sets of pages: the one for the main figure, and two others. */
export const DATE_SETS = ['comparison', 'mediacloud', 'mock'] as const;

/** A page with a known publishing date. */
export interface DatedPage {
  readonly url: string;
  readonly file: string;
  /** `2024-05-01`; `nan` if it is unknown, so that no answer is right. */
  readonly day: string;
  readonly set: (typeof DATE_SETS)[number];
  /** Whether the page was never used to choose anything: the SHA-1 of its URL begins with a letter. */
  readonly heldOut: boolean;
}

/** The pages of the comparison of go-htmldate, some of each set at a smaller scale. Empty if they are not installed. */
export function datedPages(scale: number): DatedPage[] {
  if (!hasDatePages()) return [];
  const sources = ['data-default.go', 'data-mediacloud.go'].map((name) =>
    readFileSync(join(DATES.pages, 'scripts/comparison', name), 'utf8'),
  );
  const entries = sources.join('\n').matchAll(/URL:\s*("(?:\\.|[^"\\])*"),\s*File:\s*("[^"]*"),\s*Date:\s*"([^"]*)"/g);
  const pages = [...entries].flatMap(([, url, file, day]): DatedPage[] => {
    const page = { url: JSON.parse(url!) as string, day: day! };
    const name = JSON.parse(file!) as string;
    const set = DATE_SETS.find((each) => existsSync(pathOf(each, name)));
    return set ? [{ ...page, file: pathOf(set, name), set, heldOut: isHeldOut(page.url) }] : [];
  });
  return DATE_SETS.flatMap((set) => {
    const all = pages.filter((page) => page.set === set);
    return all.slice(0, Math.max(2, Math.round(all.length * Math.min(1, scale))));
  });
}

function pathOf(set: string, name: string): string {
  return join(DATES.pages, 'test-files', set, name);
}

function isHeldOut(url: string): boolean {
  return /^[a-f]/.test(createHash('sha1').update(url).digest('hex'));
}
