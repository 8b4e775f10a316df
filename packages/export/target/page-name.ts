import { createHash } from 'node:crypto';
import { MANIFEST } from './manifest.js';
import { isDevice, safeName } from './host-name.js';

const MAX_KEPT_FOLDERS = 8;
/** If a path has more folders or characters, the name of the file has only the beginning of the URL. */
const MAX_KEPT_CHARACTERS = 120;
const CHARACTERS_OF_URL = 60;

/**
 * Returns the file of a page, in the folder of its host: `example.com/guide/page.md`, and `example.com/guide/index.md` for `/guide/`. For
 * another scheme or port the folder is `example.com~http/…` or `example.com~8443/…`. Names are safe on every file system. Two pages always
 * have different names, even on systems that ignore case. Some URLs have a query, or a path with other characters than small letters,
 * digits, `-`, `_` and `.`. The name of such a page has a part of the URL and a hash of the URL.
 * @param url absolute, as a row has it
 */
export function fileOfPage(url: string): string {
  const { protocol, hostname, port, pathname, search } = new URL(url);
  const scheme = protocol === 'https:' ? '' : `~${protocol.slice(0, -1)}`;
  const host = safeName(hostname === MANIFEST ? `~${hostname}` : hostname);
  const path = pathname.endsWith('/') ? `${pathname}index` : pathname;
  const parts = path.slice(1).split('/');
  const isPlain =
    search === '' &&
    parts.length <= MAX_KEPT_FOLDERS &&
    path.length <= MAX_KEPT_CHARACTERS &&
    parts.every(isPlainPart) &&
    !pathname.endsWith('/index');
  const name = isPlain ? parts.join('/') : toldName(url, `${pathname}${search}`);
  return `${host}${scheme}${port === '' ? '' : `~${port}`}/${name}.md`;
}

/**
 * Whether a part of a path can be kept. A folder that ends in `.md` cannot be kept, because the file of another page could have the same
 * name.
 */
function isPlainPart(part: string): boolean {
  return /^[a-z0-9_-](?:[a-z0-9._-]*[a-z0-9_-])?$/.test(part) && !part.endsWith('.md') && !isDevice(part);
}

function toldName(url: string, path: string): string {
  const told = path
    .toLowerCase()
    .replace(/[^a-z0-9_]+/g, '-')
    .replace(/^-/, '')
    .slice(0, CHARACTERS_OF_URL);
  return `${told}~${createHash('sha256').update(url).digest('hex').slice(0, 20)}`;
}
