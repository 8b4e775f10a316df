import { tryParseUrl } from '../packages/url/index.js';
import type { LeafType } from './leaves.js';

const MASK = '***';

/** A value as it may be shown: of a secret setting without what is secret, which is values by origin, or who a URL names. */
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
