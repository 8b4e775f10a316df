import { CrawlError, safeText } from '../../../packages/errors/index.js';
import type { TableName } from '../../schema.js';
import { nameOf, type GatewayAddress } from './gateway/connection.js';

/** A table on HBase, as its URL names it. */
export interface HBaseAddress {
  readonly gateways: readonly GatewayAddress[];
  readonly namespace: string;
  /** What the names of its tables begin with, before `_`. */
  readonly prefix: string;
  /** A folder that all processes share, for the bodies of pages; else they are in the table `content`. */
  readonly segments?: string;
}

/** The namespace that HBase has as it comes. */
export const DEFAULT_NAMESPACE = 'default';
const DEFAULT_PORT = 9090;
/** What HBase allows in the name of a namespace, and of a table at its beginning. */
const NAMESPACE = /^[A-Za-z0-9_]+$/;
const PREFIX = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const EXAMPLE = 'for instance hbase://gateway1:9090,gateway2:9090/default:crawl';

/**
 * Reads `hbase://host:port,host:port/namespace:prefix?segments=<folder>`. Ports are 9090 and the namespace is `default` where they
 * are left out.
 * @throws CrawlError BAD_SETTING
 */
export function parseHBaseAddress(url: string): HBaseAddress {
  const match = /^hbase:\/\/([^/?#]*)\/([^/?#]*)(?:\?([^#]*))?$/i.exec(url);
  if (!match) throw bad('a table as hbase://host:port,host:port/namespace:prefix', url);
  const [, hosts = '', path = '', query = ''] = match;
  const [namespace, prefix] = path.includes(':') ? halves(path) : [DEFAULT_NAMESPACE, path];
  if (!NAMESPACE.test(namespace)) throw bad('a namespace of letters, digits and _', namespace);
  if (!PREFIX.test(prefix)) throw bad('a prefix for the names of the tables of letters, digits, _, - and .', prefix);
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) if (name !== 'segments') throw bad('segments=<folder> after the ?', name);
  const segments = parameters.get('segments');
  if (segments === '') throw bad('a folder after segments=', query);
  return { gateways: hosts.split(',').map(gatewayOf), namespace, prefix, ...(segments !== null && { segments }) };
}

/** The URL without the gateways and the folder: what names the table among others of one HBase. */
export function hbaseTableName({ namespace, prefix }: HBaseAddress, table: TableName): string {
  return `${namespace}:${prefix}_${table}`;
}

/** The URL of an address. */
export function hbaseUrl({ gateways, namespace, prefix, segments }: HBaseAddress): string {
  const query = segments === undefined ? '' : `?segments=${encodeURIComponent(segments)}`;
  return `hbase://${gateways.map(nameOf).join(',')}/${namespace}:${prefix}${query}`;
}

function gatewayOf(text: string): GatewayAddress {
  const match = /^(?:\[([0-9a-f:.]+)\]|([A-Za-z0-9._-]+))(?::(\d{1,5}))?$/i.exec(text);
  const host = match?.[1] ?? match?.[2];
  const port = Number(match?.[3] ?? DEFAULT_PORT);
  if (host === undefined || port < 1 || port > 65_535) throw bad('gateways as host:port,host:port', text);
  return { host, port };
}

function halves(path: string): [string, string] {
  const colon = path.indexOf(':');
  return [path.slice(0, colon), path.slice(colon + 1)];
}

function bad(expected: string, found: string): CrawlError {
  return new CrawlError('BAD_SETTING', `expected ${expected}, found "${safeText(found)}"`, { hint: EXAMPLE });
}
