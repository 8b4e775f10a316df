// The targets of a document's links on the site: another page, or a file of the project, which the site has a copy of.
import { posix } from 'node:path';
import { DOCUMENTS, HOME } from './navigation.mjs';

/** The page of a document: `docs/GUIDE.md` keeps its name, the home document is `index.md`. */
export const pageOf = (document) => (document === HOME ? 'index.md' : document);

/** The document of a page. */
export const documentOf = (page) => (page === 'index.md' ? HOME : page);

/** The path of a copy on the site. A server sends `.txt` as text, but a file without an ending as a download. */
export const copyOf = (file) => (/\.(txt|json|svg|png)$/.test(file) ? file : `${file}.txt`);

const isRelative = (href) => !/^([a-z][\w+.-]*:|#|\/)/i.test(href);

/** The file of the project that a link names. @returns undefined for other sites, and for anchors of the same page */
export function targetOf(document, href) {
  if (!isRelative(href)) return undefined;
  return posix.join(posix.dirname(document), href.replace(/[#?].*/, ''));
}

/** A link of a document in the form for the site. @returns {{ href: string, isCopy: boolean }} */
export function siteLink(document, href) {
  const target = targetOf(document, href);
  if (target === undefined) return { href, isCopy: false };
  const isCopy = !DOCUMENTS.includes(target);
  const path = posix.relative(posix.dirname(pageOf(document)), isCopy ? copyOf(target) : pageOf(target));
  return { href: path + (isCopy ? '' : (/#.*/.exec(href)?.[0] ?? '')), isCopy };
}

/** The files other than documents that a document links to, or shows as pictures. */
export function filesIn(document, text) {
  const found = [...text.matchAll(/(!?)\[[^\]]*\]\(([^)\s]+)\)/g)].flatMap(([, mark = '', href = '']) => {
    const file = targetOf(document, href);
    return file === undefined || DOCUMENTS.includes(file) ? [] : [{ file, isPicture: mark === '!' }];
  });
  return {
    pictures: found.filter(({ isPicture }) => isPicture).map(({ file }) => file),
    files: found.filter(({ isPicture }) => !isPicture).map(({ file }) => file),
  };
}
