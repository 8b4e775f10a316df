import { CrawlError, safeText } from '../errors/index.js';
import type { TableName } from '../core/index.js';
import type { GatewayAddress } from './gateway/connection.js';

export interface HBaseAddress {
  readonly gateways: readonly GatewayAddress[];
  readonly namespace: string;
  /** Every table in HBase is named `<prefix>_<table>`. */
  readonly prefix: string;
  /** A folder for the bodies of pages. All processes share the folder. Absent: bodies are in the table `content`. */
  readonly segments?: string;
}

export const DEFAULT_NAMESPACE = 'default';
const DEFAULT_PORT = 9090;
const NAMESPACE = /^[A-Za-z0-9_]+$/;
const TABLE_PREFIX = /^[A-Za-z0-9_][A-Za-z0-9_.-]*$/;
const EXAMPLE = 'for instance hbase://gateway1:9090,gateway2:9090/default:crawl';

/**
 * Parses `hbase://host:port,host:port/namespace:prefix?segments=<folder>`. The default port is 9090, and the default namespace is
 * `default`.
 * @throws CrawlError BAD_SETTING
 */
export function parseHBaseAddress(url: string): HBaseAddress {
  const match = /^hbase:\/\/([^/?#]*)\/([^/?#]*)(?:\?([^#]*))?$/i.exec(url);
  if (!match) throw bad('a table as hbase://host:port,host:port/namespace:prefix', url);
  const [, hosts = '', path = '', query = ''] = match;
  const [namespace, prefix] = path.includes(':') ? halves(path) : [DEFAULT_NAMESPACE, path];
  if (!NAMESPACE.test(namespace)) throw bad('a namespace of letters, digits and _', namespace);
  if (!TABLE_PREFIX.test(prefix)) throw bad('a table prefix of letters, digits, _, - and .', prefix);
  const parameters = new URLSearchParams(query);
  for (const name of parameters.keys()) if (name !== 'segments') throw bad('segments=<folder> after the ?', name);
  const segments = parameters.get('segments');
  if (segments === '') throw bad('a folder after segments=', query);
  return { gateways: hosts.split(',').map(gatewayOf), namespace, prefix, ...(segments !== null && { segments }) };
}

export function hbaseTableName({ namespace, prefix }: HBaseAddress, table: TableName): string {
  return `${namespace}:${prefix}_${table}`;
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
