import { tryParseUrl } from '../packages/url/index.js';
import type { LeafType } from './leaves.js';

const MASK = '***';

/** Returns a value in a form that may be shown. In a secret setting, the values of origins, or the user and password of a URL, are hidden. */
export function masked(type: LeafType, value: unknown): unknown {
  if (type.secret !== true) return value;
  if (typeof value === 'string') return maskedUrl(value);
  return Object.fromEntries(Object.keys(value ?? {}).map((key) => [key, MASK]));
}

function maskedUrl(text: string): string {
  if (text === '') return text;
  const url = tryParseUrl(text);
  if (!url) return MASK;
  const { protocol, username, password, host, pathname } = url;
  return `${protocol}//${username || password ? `${MASK}@` : ''}${host}${pathname === '/' ? '' : pathname}`;
}
