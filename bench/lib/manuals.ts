/** Manuals whose generators mark the main part of each page. */
import { existsSync } from 'node:fs';
import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse, type DefaultTreeAdapterTypes as Tree } from 'parse5';

const PEERS = fileURLToPath(new URL('../../../bench/.peers', import.meta.url));

/** A manual of a Debian package that `bench/install.sh` unpacks. */
export interface Manual {
  readonly name: string;
  readonly generator: keyof typeof MAIN_PARTS;
  /** Below the folder of all packages. */
  readonly folder: string;
  /** Matches the paths of its pages. */
  readonly pages: RegExp;
}

const SHARE = 'manuals/usr/share';
const MORE = 'more-manuals/usr/share';

/** All measured manuals. */
export const MANUALS: readonly Manual[] = [
  { name: 'Python', generator: 'Sphinx', folder: `${SHARE}/doc/python3.11/html`, pages: /\.html$/ },
  { name: 'PostgreSQL', generator: 'DocBook', folder: `${SHARE}/doc/postgresql-doc-15/html`, pages: /\.html$/ },
  { name: 'Boost', generator: 'DocBook', folder: `${SHARE}/doc/libboost1.74-doc/doc/html`, pages: /\.html$/ },
  { name: 'Debian, English', generator: 'DocBook', folder: `${SHARE}/debian-reference`, pages: /\.en\.html$/ },
  { name: 'Debian, French', generator: 'DocBook', folder: `${MORE}/debian-reference`, pages: /\.fr\.html$/ },
  { name: 'Debian, Chinese', generator: 'DocBook', folder: `${MORE}/debian-reference`, pages: /\.zh-cn\.html$/ },
  {
    name: 'Maintainers, Chinese',
    generator: 'DocBook',
    folder: `${MORE}/doc/maint-guide-zh-cn/html`,
    pages: /\.html$/,
  },
  // Search pages and listings of sources have no main text.
  {
    name: 'Eigen',
    generator: 'Doxygen',
    folder: `${MORE}/doc/libeigen3-dev/html`,
    pages: /^(?!.*(search\/|_source)).*\.html$/,
  },
  {
    name: 'Commons Lang',
    generator: 'javadoc',
    folder: `${MORE}/doc/libcommons-lang3-java/api`,
    pages: /^(?!src-html).*\.html$/,
  },
];

type Test = (element: Tree.Element, parent: Tree.Element) => boolean;

/** The elements with the main part of a page, by generator. Elements inside them are not tested again. */
const MAIN_PARTS = {
  Sphinx: (element) => attribute(element, 'role') === 'main',
  DocBook: (element, parent) =>
    parent.tagName === 'body' && element.tagName === 'div' && !hasClass(element, /^(navheader|navfooter|spirit-nav)$/),
  Doxygen: (element) => hasClass(element, /^(headertitle|contents)$/),
  javadoc: ({ tagName }) => tagName === 'main',
} as const satisfies Record<string, Test>;

/** The expected result for a page. */
export interface MainPart {
  readonly words: readonly string[];
  readonly headings: readonly string[];
  /** Lines of code blocks without white space. */
  readonly code: readonly string[];
}

/** Whether `bench/install.sh` has unpacked it. */
export function isThere({ folder }: Manual): boolean {
  return existsSync(join(PEERS, folder));
}

/** Pages of a manual, spread evenly over all of them. @param most maximum number of pages */
export async function* pagesOf({ folder, pages }: Manual, most: number): AsyncGenerator<Buffer> {
  const all = (await readdir(join(PEERS, folder), { recursive: true })).filter((path) => pages.test(path)).sort();
  const count = Math.min(most, all.length);
  for (let i = 0; i < count; i++) yield readFile(join(PEERS, folder, all[Math.floor((i * all.length) / count)]!));
}

/** The main part of a page as its generator marks it. Undefined for a page without one, such as a redirect page. */
export function mainPartOf({ generator }: Manual, html: Buffer): MainPart | undefined {
  const isMain: Test = MAIN_PARTS[generator];
  const roots: Tree.Element[] = [];
  const look = (parent: Tree.ParentNode): void => {
    for (const child of parent.childNodes) {
      if (!('tagName' in child)) continue;
      if (isMain(child, parent as Tree.Element)) roots.push(child);
      else look(child);
    }
  };
  look(parse(html.toString('utf8')));
  const words = wordsOf(roots.map(textOf).join(' '));
  if (words.length === 0) return undefined;
  const found = (wanted: (element: Tree.Element) => boolean): string[] =>
    roots.flatMap((root) => elementsOf(root, wanted)).map(textOf);
  return {
    words,
    headings: found(({ tagName }) => /^h[1-6]$/.test(tagName)).map((heading) => wordsOf(heading).join(' ')),
    code: found(isCode).flatMap(linesOfCode),
  };
}

/** The words of a text in lower case; in Chinese, the characters. */
export function wordsOf(text: string): string[] {
  // Markdown puts these characters around parts of words, and a backslash before literal ones.
  const plain = text.replace(/[*_`\\]/g, '').toLowerCase();
  return plain.match(/\p{Script=Han}|(?:(?!\p{Script=Han})[\p{L}\p{N}])+/gu) ?? [];
}

/** The non-empty lines of a code block, without white space. */
export function linesOfCode(code: string): string[] {
  return code
    .split('\n')
    .map((line) => line.replace(/\s+/g, ''))
    .filter((line) => line !== '');
}

/** Matches the names of elements within a line of text. */
export const INLINE =
  /^(a|abbr|acronym|b|cite|code|del|dfn|em|font|i|ins|kbd|mark|q|s|samp|small|span|strong|sub|sup|tt|u|var)$/;

function textOf(root: Tree.Element): string {
  const parts: string[] = [];
  const add = (node: Tree.Node): void => {
    if (node.nodeName === '#text') parts.push((node as Tree.TextNode).value);
    if (!('tagName' in node) || /^(script|style|button|noscript)$/.test(node.tagName)) return;
    if (node.tagName === 'br') parts.push('\n');
    // Tooltips of Doxygen, and line numbers.
    if (hasClass(node, /^(ttc|lineno)$/)) return;
    if (!INLINE.test(node.tagName)) parts.push(hasClass(node, /^line$/) ? '\n' : ' ');
    node.childNodes.forEach(add);
    if (!INLINE.test(node.tagName)) parts.push(' ');
  };
  add(root);
  return parts.join('');
}

function elementsOf(root: Tree.Element, wanted: (element: Tree.Element) => boolean): Tree.Element[] {
  if (wanted(root)) return [root];
  return root.childNodes.flatMap((child) => ('tagName' in child ? elementsOf(child, wanted) : []));
}

/** Doxygen has a `div` for each line. */
function isCode(element: Tree.Element): boolean {
  return element.tagName === 'pre' || hasClass(element, /^fragment$/);
}

/** The value of an attribute. */
export function attribute({ attrs }: Tree.Element, name: string): string | undefined {
  return attrs.find((attr) => attr.name === name)?.value;
}

function hasClass(element: Tree.Element, name: RegExp): boolean {
  return (attribute(element, 'class') ?? '').split(/\s+/).some((each) => name.test(each));
}
