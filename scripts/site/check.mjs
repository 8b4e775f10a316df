// Checks that every link of a built site leads to one of its files, and every anchor to an element of that file.
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { join, posix, sep } from 'node:path';

/**
 * @param folder of the built version
 * @param base the path of that folder on a server: begins and ends with `/`
 * @returns {string[]} a line for each broken link: the page, and the link as written there
 */
export function brokenLinks(folder, base) {
  const pages = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.html'))
    .map((name) => name.split(sep).join('/'));
  const anchors = new Map(pages.map((page) => [page, anchorsOf(readFileSync(join(folder, page), 'utf8'))]));
  return pages.flatMap((page) => {
    const links = linksOf(readFileSync(join(folder, page), 'utf8'));
    return links.filter((link) => isBroken(page, link)).map((link) => `${page}: ${link}`);
  });

  function isBroken(page, link) {
    if (/^([a-z][\w+.-]*:|\/\/)/i.test(link)) return false;
    const [path, anchor = ''] = link.replace(/\?[^#]*/, '').split('#');
    const from = posix.join(base, page);
    const at = path === '' ? from : posix.resolve(posix.dirname(from), path) + (path.endsWith('/') ? '/' : '');
    if (!`${at}/`.startsWith(base)) return true;
    const file = fileAt(decodeURI(at.slice(base.length)));
    if (file === undefined) return true;
    return anchor !== '' && !anchors.get(file)?.has(decodeURIComponent(anchor));
  }

  function fileAt(path) {
    const file = path === '' || path.endsWith('/') ? `${path}index.html` : path;
    return existsSync(join(folder, file)) && statSync(join(folder, file)).isFile() ? file : undefined;
  }
}

// The generator writes attributes in double quotes, and escapes quotes in texts.
const unescape = (text) => text.replaceAll('&quot;', '"').replaceAll('&#39;', "'").replaceAll('&amp;', '&');
const anchorsOf = (html) => new Set([...html.matchAll(/\sid="([^"]+)"/g)].map(([, id]) => unescape(id)));
const linksOf = (html) => [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)].map(([, link]) => unescape(link));
