import { hostKeyOf, hostOfKey, type HostKey, domainOf } from '../core/index.js';
import { NONE, createKeyFile, createKeyedRecords, growingArray, readKeys } from '../scan/index.js';
import type { ScannedRows } from './scan-rows.js';

/** The nodes of a level. */
export interface Nodes {
  readonly count: number;
  /** The node of each row; {@link NONE} for a row without a node. */
  readonly ofRow: Uint32Array;
  /** Yields the keys in the order of the nodes, in groups: row keys for pages, names with reversed labels for hosts and domains. */
  keys(): AsyncGenerator<readonly string[]>;
  /** For the level of pages, the first node of each host. For other levels it is empty. */
  readonly hostStarts: Uint32Array;
}

/**
 * Makes a node for each row that `resolveRows` resolves to itself, in the order of the rows. Pages that are gone, redirects, and pages with
 * a fetched canonical page are not nodes.
 */
export function pageNodes({ keys, hostStarts }: ScannedRows, resolved: Uint32Array): Nodes {
  const ofRow = new Uint32Array(resolved.length);
  const starts = growingArray(Uint32Array);
  let count = 0;
  let host = 0;
  let hostHasNode = true;
  for (let row = 0; row < resolved.length; row++) {
    if (row === hostStarts[host]) {
      host += 1;
      hostHasNode = false;
    }
    const isNode = resolved[row] === row;
    if (isNode && !hostHasNode) {
      hostHasNode = true;
      starts.push(count);
    }
    ofRow[row] = isNode ? count++ : NONE;
  }
  return {
    count,
    ofRow,
    async *keys() {
      let row = 0;
      for await (const group of readKeys(keys)) {
        const found = group.filter(() => ofRow[row++] !== NONE);
        if (found.length > 0) yield found;
      }
    },
    hostStarts: starts.values(),
  };
}

/** Makes a node for each host or domain that has at least one row which resolves to itself. Nodes are in the order of the names. */
export async function groupNodes(
  level: 'host' | 'domain',
  { hosts, hostStarts, kinds }: ScannedRows,
  resolved: Uint32Array,
  folder: string,
): Promise<Nodes> {
  const ofHost = new Uint32Array(hostStarts.length).fill(NONE);
  const path = `${folder}/${level}-names`;
  const names = createKeyedRecords(folder);
  let host = 0;
  for await (const group of readKeys(hosts)) {
    for (const name of group) {
      if (hasNode(resolved, hostStarts[host]!, hostStarts[host + 1] ?? kinds.length)) {
        await names.add(level === 'host' ? name : domainKey(name as HostKey), 0, numberBytes(host));
      }
      host += 1;
    }
  }
  await using file = await createKeyFile(path);
  for await (const group of names.joined()) {
    for (const { key, isFirst, content } of group) {
      if (isFirst) await file.add(key);
      ofHost[content.readUInt32BE()] = file.length - 1;
    }
  }
  await file.flush();
  return {
    count: file.length,
    ofRow: spread(ofHost, hostStarts, kinds.length),
    keys: () => readKeys(path),
    hostStarts: new Uint32Array(0),
  };
}

function numberBytes(number: number): Buffer {
  const bytes = Buffer.allocUnsafe(4);
  bytes.writeUInt32BE(number);
  return bytes;
}

function domainKey(host: HostKey): HostKey {
  return hostKeyOf(domainOf(hostOfKey(host)));
}

function hasNode(resolved: Uint32Array, from: number, to: number): boolean {
  for (let row = from; row < to; row++) if (resolved[row] === row) return true;
  return false;
}

/** Returns for each row the value of the host of the row. */
function spread(ofHost: Uint32Array, hostStarts: Uint32Array, rows: number): Uint32Array {
  const ofRow = new Uint32Array(rows);
  for (let host = 0; host < ofHost.length; host++) {
    ofRow.fill(ofHost[host]!, hostStarts[host], hostStarts[host + 1] ?? rows);
  }
  return ofRow;
}
