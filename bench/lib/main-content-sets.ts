import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { BENCH, PEERS } from './folders.js';
import type { ArticlePage, FragmentPage } from './main-content-score.js';

const EXTRACTORS = join(PEERS, 'extractors/node_modules');
const READS_SETS = new URL('../../../scripts/main-content/pages.mjs', import.meta.url).href;

/** The folders into which `bench/install.sh` puts the extractors and the sets of pages. */
export const MAIN_CONTENT = {
  readability: join(EXTRACTORS, '@mozilla/readability/index.js'),
  linkedom: join(EXTRACTORS, 'linkedom/esm/index.js'),
  defuddle: join(EXTRACTORS, 'defuddle/dist/node.js'),
  python: join(PEERS, 'trafilatura/bin/python'),
  trafilatura: join(BENCH, 'peers/trafilatura/extract.py'),
  fragments: join(PEERS, 'comparison'),
  articles: join(PEERS, 'articles'),
} as const;

/** The installed parts that each extractor needs. */
const NEEDS: Readonly<Record<string, readonly string[]>> = {
  webcrawl: [],
  readability: [MAIN_CONTENT.readability, MAIN_CONTENT.linkedom],
  defuddle: [MAIN_CONTENT.defuddle, MAIN_CONTENT.linkedom],
  trafilatura: [MAIN_CONTENT.python],
};

/** The names of all extractors. */
export const EXTRACTOR_NAMES = Object.keys(NEEDS);

/** Whether an extractor is installed. */
export function isInstalled(name: string): boolean {
  return NEEDS[name]!.every((path) => existsSync(path));
}

/** The sets of pages that are not installed. */
export function missingSets(): string[] {
  return [
    ...(existsSync(MAIN_CONTENT.fragments) ? [] : ['comparison']),
    ...(existsSync(MAIN_CONTENT.articles) ? [] : ['articles']),
  ];
}

/** The pages of the installed sets; at a smaller scale, some of each. */
export async function pagesOfSets(
  scale: number,
): Promise<{ fragments: FragmentPage[]; articles: ArticlePage[]; isTuning: (url: string) => boolean }> {
  const { articlePages, comparisonPages, isTuning } = (await import(READS_SETS)) as {
    articlePages: (folder: string) => ArticlePage[];
    comparisonPages: (folder: string, part: string) => FragmentPage[];
    isTuning: (url: string) => boolean;
  };
  const { fragments, articles } = MAIN_CONTENT;
  const some = <T>(pages: T[]): T[] => pages.slice(0, Math.max(2, Math.round(pages.length * Math.min(1, scale))));
  return {
    fragments: existsSync(fragments) ? some(comparisonPages(fragments, 'all')) : [],
    articles: existsSync(articles) ? some(articlePages(articles)) : [],
    isTuning,
  };
}
