import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { checkParse, openCheckContext } from '../../packages/webcrawl/internal.js';
import { PEERS } from './folders.js';

export const MANUAL_LANGUAGES = ['en', 'zh', 'ja', 'ko', 'ru'] as const;
export type ManualLanguage = (typeof MANUAL_LANGUAGES)[number];

export interface ManualPage {
  readonly url: string;
  readonly language: ManualLanguage;
  readonly title: string;
  readonly headings: readonly string[];
  readonly text: string;
  readonly links: readonly { readonly url: string; readonly anchor: string }[];
}

export const MANUAL_FOLDER = join(PEERS, 'relevance/usr/share');
const ORIGIN = 'https://manuals.example/';
/** Parts of paths by which the language of a file is known. A file without any of them is in another language, or no manual. */
const LANGUAGES: readonly (readonly [RegExp, ManualLanguage])[] = [
  [/(?:[/.-])(?:en|en-US)(?:[/.]|$)/, 'en'],
  [/(?:[/.-])(?:zh[-_]CN|zh-cn|zh-hans)(?:[/.]|$)/, 'zh'],
  [/(?:[/.-])(?:ja|ja-JP)(?:[/.]|$)/, 'ja'],
  [/(?:[/.-])(?:ko|ko-KR)(?:[/.]|$)/, 'ko'],
  [/(?:[/.-])(?:ru|ru-RU)(?:[/.]|$)/, 'ru'],
];
const MANUALS =
  /^(?:libreoffice\/help|gimp\/2\.0\/help|debian-reference|developers-reference|doc\/(?:debian-handbook|debian\/FAQ|debian-policy|maint-guide|installation-guide|aptitude|developers-reference))/;

const RUST = 'doc/rust-doc/html/std';
/** The functions of single processors, thousands of pages, are excluded. */
const RUST_PAGE = /^(?!arch\/|intrinsics\/|simd\/|os\/).*\b(?:struct|enum|trait|fn|macro|union)\.[^/]+\.html$/;

export interface ManualFile {
  readonly path: string;
  readonly language: ManualLanguage;
}

async function htmlFiles(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile() && /\.html?$/.test(entry.name))
    .map((entry) => relative(folder, join(entry.parentPath, entry.name)));
}

/** All files of the manuals in these languages, by path. */
export async function manualFiles(): Promise<ManualFile[]> {
  if (!existsSync(MANUAL_FOLDER)) throw new Error('the manuals are not there; bench/install.sh relevance fetches them');
  return (await htmlFiles(MANUAL_FOLDER))
    .filter((path) => MANUALS.test(path))
    .sort()
    .flatMap((path) => {
      const language = LANGUAGES.find(([pattern]) => pattern.test(path))?.[1];
      return language ? [{ path, language }] : [];
    });
}

/**
 * The pages of real manuals of Debian in five languages, parsed as a crawl parses them. Untranslated pages are left out.
 * @param part use one file in this number
 */
export async function* manualPages(part: number): AsyncGenerator<ManualPage> {
  const files = (await manualFiles()).filter((_, i) => i % part === 0);
  for await (const page of readPages(MANUAL_FOLDER, ORIGIN, files)) if (isWrittenIn(page)) yield page;
}

/** Pages of the standard library of Rust that describe one name, such as `struct.HashMap.html`. None if they are not installed. */
export async function* rustPages(part: number): AsyncGenerator<ManualPage> {
  const folder = join(MANUAL_FOLDER, RUST);
  if (!existsSync(folder)) return;
  const paths = (await readdir(folder, { recursive: true })).filter((path) => RUST_PAGE.test(path)).sort();
  const files = paths.filter((_, i) => i % part === 0).map((path) => ({ path, language: 'en' as const }));
  yield* readPages(folder, `${ORIGIN}${RUST}/`, files);
}

export async function* folderPages(folder: string, origin: string): AsyncGenerator<ManualPage> {
  const files = (await htmlFiles(folder)).filter((path) => path.endsWith('.html')).sort();
  yield* readPages(
    folder,
    origin,
    files.map((path) => ({ path, language: 'en' })),
  );
}

async function* readPages(folder: string, origin: string, files: readonly ManualFile[]): AsyncGenerator<ManualPage> {
  await using context = await openCheckContext();
  for (const { path, language } of files) {
    const content = await readFile(join(folder, path));
    const url = new URL(encodeURI(path), origin).href;
    const page = await checkParse(context, { url, content, contentType: 'text/html', headers: {}, truncated: false });
    if (page.kind !== 'success' || page.text.length < 20) continue;
    const { title, text, outlinks } = page;
    yield { url, language, title, headings: headingsOf(content.toString()), text, links: linksOf(url, outlinks) };
  }
}

/** The scripts that a text of a language must contain: many pages of manuals were never translated. */
export const SCRIPTS: Readonly<Record<ManualLanguage, RegExp>> = {
  en: /\p{Script=Latin}/gu,
  zh: /\p{Script=Han}/gu,
  ja: /[\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Han}]/gu,
  ko: /\p{Script=Hangul}/gu,
  ru: /\p{Script=Cyrillic}/gu,
};
const MIN_SHARE = 0.3;

function isWrittenIn({ language, text }: ManualPage): boolean {
  const some = text.slice(0, 20_000);
  const letters = some.match(/\p{L}/gu)?.length ?? 0;
  return (some.match(SCRIPTS[language])?.length ?? 0) >= MIN_SHARE * letters;
}

function linksOf(
  url: string,
  outlinks: readonly { readonly url: string; readonly anchor: string }[],
): ManualPage['links'] {
  const links = new Map<string, { readonly url: string; readonly anchor: string }>();
  for (const link of outlinks) {
    const to = link.url.replace(/#.*/, '');
    if (to !== url && !links.has(to)) links.set(to, { url: to, anchor: link.anchor });
  }
  return [...links.values()];
}

function headingsOf(html: string): string[] {
  return [...html.slice(0, 2_000_000).matchAll(/<h[1-6][^>]{0,500}>([^]{0,500}?)<\/h[1-6]>/gi)].map(([, inner = '']) =>
    inner
      .replace(/<[^>]*>/g, '')
      .replace(/&[a-z]+;|&#\d+;/gi, ' ')
      .replace(/\s+/g, ' ')
      .trim(),
  );
}
