import { tryDecode, tryParseUrl } from '../packages/url/index.js';

const OWN_HEADERS: ReadonlyMap<string, string> = new Map([
  ['host', 'which follows from the URL'],
  ...['connection', 'content-length', 'expect', 'http2-settings', 'keep-alive', 'proxy-connection'].map(ofConnection),
  ...['te', 'trailer', 'transfer-encoding', 'upgrade'].map(ofConnection),
  ...['if-match', 'if-modified-since', 'if-none-match', 'if-range', 'if-unmodified-since', 'range'].map(
    (name) => [name, 'which follows from the stored copy'] as const,
  ),
  ['accept', 'see http.accept'],
  ['accept-encoding', 'which tells what can be decoded'],
  ['accept-language', 'see http.acceptLanguage'],
  ['authorization', 'which would go to every server, see http.credentials'],
  ['cookie', 'which would go to every server, see http.cookies'],
  ['proxy-authorization', 'see http.proxy'],
  ['user-agent', 'see http.agentName'],
]);

function ofConnection(name: string): readonly [string, string] {
  return [name, 'which belongs to the connection'];
}

/** Returns what is expected of `http.headers`. undefined: the headers can be sent. The text does not repeat values. */
export function headersProblem(headers: Readonly<Record<string, string>>): string | undefined {
  const seen = new Set<string>();
  for (const [name, value] of Object.entries(headers)) {
    const lower = name.toLowerCase();
    const owned = OWN_HEADERS.get(lower);
    if (!/^[!#$%&'*+.^_`|~\w-]+$/.test(name)) return 'names of letters, digits and - as keys';
    if (owned !== undefined) return `no header ${name}, ${owned}`;
    if (seen.has(lower)) return `the header ${name} only once`;
    if (!isPrintable(value)) return `printable ASCII as ${name}`;
    seen.add(lower);
  }
  return undefined;
}

export function credentialsProblem(credentials: Readonly<Record<string, string>>): string | undefined {
  const bad = Object.entries(credentials).find(([, value]) => !/^[^:\p{Cc}]*:\P{Cc}*$/u.test(value));
  return originsProblem(Object.keys(credentials)) ?? (bad && `user:password for ${bad[0]}`);
}

export function cookiesProblem(cookies: Readonly<Record<string, string>>): string | undefined {
  const bad = Object.entries(cookies).find(([, value]) => value === '' || !isPrintable(value));
  return originsProblem(Object.keys(cookies)) ?? (bad && `name=value; name=value in printable ASCII for ${bad[0]}`);
}

export function proxyProblem(proxy: string): string | undefined {
  if (proxy === '') return undefined;
  const url = tryParseUrl(proxy);
  if (url?.protocol !== 'http:' || url.pathname !== '/' || url.search !== '' || url.hash !== '') {
    return 'the URL of an http proxy, like http://proxy.example:3128 or http://user:password@proxy.example:3128';
  }
  const login = [url.username, url.password].map(tryDecode);
  const isRight = login.every((part) => part !== undefined && !/\p{Cc}/u.test(part));
  return isRight ? undefined : 'user and password of the proxy URL-encoded';
}

function originsProblem(keys: readonly string[]): string | undefined {
  const seen = new Set<string>();
  for (const key of keys) {
    const url = tryParseUrl(key);
    const isOrigin = url && /^https?:$/.test(url.protocol) && `${url.origin}/` === url.href && !/[?#]/.test(key);
    if (!isOrigin) return 'origins like https://example.com or http://example.com:8080 as keys';
    if (seen.has(url.origin)) return `the origin ${url.origin} only once`;
    seen.add(url.origin);
  }
  return undefined;
}

function isPrintable(text: string): boolean {
  return /^[\t\x20-\x7e]*$/.test(text);
}
