/** Characters that are written as `%XX`: `#`, `%`, spaces, and all but printable ASCII. */
const TO_ESCAPE = /[^!"$-&'-~]|%/g;
const ESCAPED = /%([0-9a-f]{2})/gi;
const DEFAULT_PORTS: Readonly<Record<string, string>> = { http: '80', https: '443' };
/** Scheme, authority, path and query. A fragment is ignored. */
const PARTS = /^([a-z][a-z0-9+.-]*):(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?/i;
/** Session ids that some servers put into the path: `/(S(…))/page.aspx`, `/(…)/page.aspx`. */
const PATH_SESSIONS = [
  /^(.*\/)\((?:[a-z]\([0-9a-z]{24}\))+\)\/([^?]+\.aspx.*)$/i,
  /^(.*\/)\([0-9a-z]{24}\)\/([^?]+\.aspx.*)$/i,
];
/** Session ids that some servers put into the query. */
const QUERY_SESSIONS = [
  /^(.*)jsessionid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)phpsessid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)sid=[0-9a-z]{32}(?:&(.*))?$/i,
  /^(.*)aspsessionid[a-z]{8}=[a-z]{24}(?:&(.*))?$/i,
  /^(.*)cfid=[^&]+&cftoken=[^&]+(?:&(.*))?$/i,
];

/**
 * Returns the key by which archive tools sort and look up a URL, such as `com,example)/path?a=1`. The spelling is that of the `surt`
 * package for Python (0.3), which pywb and cdxj-indexer use. The key omits `www`, `www2` and the like, user, default port, fragment,
 * session ids and the last slash. The key is in lower case, and the query in the key is sorted. Several URLs may have the same key.
 * @param url as a table holds it: absolute, by the URL standard
 * @returns ASCII
 */
export function surt(url: string): string {
  const parts = PARTS.exec(url.trim());
  if (!parts) return url;
  const [, scheme = '', authority = '', path = '', query = ''] = parts;
  const { host, port } = hostOf(authority, scheme.toLowerCase());
  const start = host === '' ? `${scheme}:` : `${host.split('.').reverse().join(',')}${port})`;
  return `${start}${pathKey(path, host !== '')}${queryKey(query)}`;
}

function hostOf(authority: string, scheme: string): { host: string; port: string } {
  const server = authority.slice(authority.lastIndexOf('@') + 1);
  const [, name = '', port = ''] = /^(.*?)(?::(\d*))?$/.exec(server) ?? [];
  const plain = escape(unescape(name.replace(/^\[(.*)\]$/, '$1')).toLowerCase());
  const host = plain
    .replace(/\.\./g, '.')
    .replace(/^\.+|\.+$/g, '')
    .replace(/^www\d*\./, '');
  return { host, port: port === '' || port === DEFAULT_PORTS[scheme] ? '' : `:${Number(port)}` };
}

function pathKey(path: string, hasHost: boolean): string {
  const plain = unescape(path);
  let key = escape(hasHost ? withoutDots(plain) : plain).toLowerCase();
  for (const session of PATH_SESSIONS) key = key.replace(session, '$1$2');
  return key.length > 1 && key.endsWith('/') ? key.slice(0, -1) : key;
}

/** Resolves `.` and `..`, and removes double slashes. */
function withoutDots(path: string): string {
  const kept: string[] = [];
  for (const part of path.split('/').slice(1)) {
    if (part === '.') continue;
    if (part !== '..' || kept.length === 0) kept.push(part);
    else kept.pop();
  }
  const last = kept.pop() ?? '';
  return `/${kept.map((part) => (part === '' ? '' : `${part}/`)).join('')}${last}`;
}

function queryKey(query: string): string {
  let key = escape(unescape(query));
  for (const session of QUERY_SESSIONS) key = key.replace(session, (_, before: string, after = '') => before + after);
  key = sorted(key.toLowerCase());
  return key === '' ? '' : `?${key}`;
}

/** Sorts the parameters of a query by name, then by value. `a` comes before `a=`. */
function sorted(query: string): string {
  const parameters = query.split('&').map((parameter) => {
    const at = parameter.indexOf('=');
    return at < 0 ? [parameter] : [parameter.slice(0, at), parameter.slice(at + 1)];
  });
  parameters.sort(([a = '', x = ''], [b = '', y = '']) => compare(a, b) || compare(x, y));
  return parameters.map((parameter) => parameter.join('=')).join('&');
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Decodes percent codes again and again until none is left. In the result, each character is one byte. */
function unescape(text: string): string {
  for (let found = Buffer.from(text, 'utf8').toString('latin1'); ;) {
    const plain = found.replace(ESCAPED, (_, hex: string) => String.fromCharCode(parseInt(hex, 16)));
    if (plain === found) return found;
    found = plain;
  }
}

function escape(text: string): string {
  return text.replace(TO_ESCAPE, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`);
}
