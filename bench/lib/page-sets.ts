import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { PEERS } from './folders.js';
import type { ArticlePage, FragmentPage } from './main-content-score.js';

const SETS = {
  comparison: join(PEERS, 'comparison'),
  articles: join(PEERS, 'articles'),
  'date-pages': join(PEERS, 'date-pages'),
} as const;

const READS_SETS = new URL('../../../scripts/main-content/pages.mjs', import.meta.url).href;

interface SetsModule {
  readonly articlePages: (folder: string) => ArticlePage[];
  readonly comparisonPages: (folder: string, part: string) => FragmentPage[];
  readonly isTuning: (url: string) => boolean;
}

export function missingSets(...names: readonly (keyof typeof SETS)[]): string[] {
  return names.filter((name) => !existsSync(SETS[name]));
}

function firstPart<T>(pages: readonly T[], scale: number): T[] {
  return pages.slice(0, Math.max(2, Math.round(pages.length * Math.min(1, scale))));
}

/** The pages of the installed sets with known main content; at a smaller scale, some of each. */
export async function mainContentPages(scale: number) {
  const { articlePages, comparisonPages, isTuning } = (await import(READS_SETS)) as SetsModule;
  const { comparison, articles } = SETS;
  return {
    fragments: existsSync(comparison) ? firstPart(comparisonPages(comparison, 'all'), scale) : [],
    articles: existsSync(articles) ? firstPart(articlePages(articles), scale) : [],
    isTuning,
  };
}

export const DATE_SETS = ['comparison', 'mediacloud', 'mock'] as const;

export interface DatedPage {
  readonly url: string;
  readonly file: string;
  /** `2024-05-01`; `nan` if it is unknown, so that no finder is right. */
  readonly day: string;
  readonly set: (typeof DATE_SETS)[number];
  /** Whether the page was never used to choose anything. */
  readonly heldOut: boolean;
}

/** The pages of the comparison of go-htmldate, some of each set at a smaller scale. Empty if they are not installed. */
export async function datedPages(scale: number): Promise<DatedPage[]> {
  const folder = SETS['date-pages'];
  if (!existsSync(folder)) return [];
  const { isTuning } = (await import(READS_SETS)) as SetsModule;
  const sources = ['data-default.go', 'data-mediacloud.go'].map((name) =>
    readFileSync(join(folder, 'scripts/comparison', name), 'utf8'),
  );
  const entries = sources.join('\n').matchAll(/URL:\s*("(?:\\.|[^"\\])*"),\s*File:\s*("[^"]*"),\s*Date:\s*"([^"]*)"/g);
  const pages = [...entries].flatMap(([, quotedUrl, quotedName, day]): DatedPage[] => {
    const url = JSON.parse(quotedUrl!) as string;
    const fileIn = (set: string): string => join(folder, 'test-files', set, JSON.parse(quotedName!) as string);
    const set = DATE_SETS.find((one) => existsSync(fileIn(one)));
    return set ? [{ url, day: day!, file: fileIn(set), set, heldOut: !isTuning(url) }] : [];
  });
  return DATE_SETS.flatMap((set) =>
    firstPart(
      pages.filter((page) => page.set === set),
      scale,
    ),
  );
}
