/** Queries that name a page, written by hand in bench/named-pages.json: a title, its first word, or the name of a file. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { BOXED_MANUALS, isManualThere } from './boxed-manuals.js';
import { BENCH, PEERS } from './folders.js';
import type { KnownItem } from './known-items.js';
import { folderPages, type ManualPage } from './manual-pages.js';

/** Rules may be chosen by the queries of `named`, but never by those of `held out`. */
export const NAMED_SETS = ['named', 'held out'] as const;
export type NamedSet = (typeof NAMED_SETS)[number];

interface NamedList {
  readonly manuals: readonly string[];
  /** For each query, the manual and the path of the page that it names. */
  readonly queries: Readonly<Record<string, string>>;
}

const LISTS = JSON.parse(readFileSync(join(BENCH, 'named-pages.json'), 'utf8')) as Record<NamedSet, NamedList>;

export async function namedPages(
  set: NamedSet,
): Promise<{ readonly pages: ManualPage[]; readonly items: KnownItem[] }> {
  const { manuals, queries } = LISTS[set];
  const boxed = manuals.map((name) => BOXED_MANUALS.find((manual) => manual.name === name)!);
  const pages: ManualPage[] = [];
  if (!boxed.every(isManualThere)) return { pages, items: [] };
  for (const { name, folder } of boxed)
    for await (const page of folderPages(join(PEERS, folder), originOf(name))) pages.push(page);
  const items = Object.entries(queries).map(([query, path]): KnownItem => {
    const [name = '', ...parts] = path.split('/');
    const answers = [`${originOf(name)}${parts.join('/')}`];
    return { kind: 'named', language: set, query, answers, isForChoosing: false };
  });
  return { pages, items };
}

const originOf = (manual: string): string => `https://${manual.toLowerCase()}.example/`;
