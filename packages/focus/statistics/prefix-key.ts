import { hostKeyOfRow, hostOfKey, type PrefixFigures } from '../../../webtable/index.js';
import { domainOf } from '../../url/index.js';
import type { PrefixNode } from './prefix-node.js';

/** Between a prefix and the name of a parameter. No URL has it, and it comes before all that URLs have. */
const BEFORE_NAME = ' ';

/** The key of the node of a parameter below a prefix: it comes after the prefix, and before those below it. */
export const parameterKey = (prefixKey: string, name: string): string => `${prefixKey}${BEFORE_NAME}${name}`;

/** Makes nodes of keys; those of one host in a row cost little. */
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

/** @param start of row keys: host, scheme, port if it is not the default, and `/` */
function originOf(start: string): Pick<PrefixNode, 'host' | 'origin' | 'domain'> {
  const hostKey = hostKeyOfRow(start);
  const host = hostOfKey(hostKey);
  const [scheme = '', port] = start.slice(hostKey.length + 1, -1).split(':');
  return { host, origin: `${scheme}://${host}${port === undefined ? '' : `:${port}`}`, domain: domainOf(host) };
}
