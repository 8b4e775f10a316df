import { hostKeyOfRow, hostOfKey, type PrefixFigures, domainOf } from '../../core/index.js';
import type { PrefixNode } from './prefix-node.js';

/** Separates a prefix from the name of a parameter. No URL contains this character, and it sorts before all characters of URLs. */
const BEFORE_NAME = ' ';

/** Returns the key of the node for a parameter of a prefix. It sorts after the key of the prefix, and before the keys of prefixes below. */
export const parameterKey = (prefixKey: string, name: string): string => `${prefixKey}${BEFORE_NAME}${name}`;

/** Makes a function that makes nodes from keys. The function is faster if keys of one host follow one another. */
export function createNodes(): (key: string, figures: PrefixFigures) => PrefixNode {
  let start = '';
  let origin = { host: '', origin: '', domain: '' };
  return (key, figures) => {
    if (start === '' || !key.startsWith(start)) {
      start = key.slice(0, key.indexOf('/') + 1);
      origin = originOf(start);
    }
    const path = key.slice(start.length - 1);
    const end = path.indexOf(BEFORE_NAME);
    if (end === -1) return { ...origin, prefix: path, ...figures };
    return { ...origin, prefix: path.slice(0, end), parameter: path.slice(end + 1), ...figures };
  };
}

/**
 * Splits the first part of a row key.
 * @param start host, scheme, port if it is not the default, and `/`
 */
function originOf(start: string): Pick<PrefixNode, 'host' | 'origin' | 'domain'> {
  const hostKey = hostKeyOfRow(start);
  const host = hostOfKey(hostKey);
  const [scheme = '', port] = start.slice(hostKey.length + 1, -1).split(':');
  return { host, origin: `${scheme}://${host}${port === undefined ? '' : `:${port}`}`, domain: domainOf(host) };
}
