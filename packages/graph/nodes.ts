import { hostKeyOf, hostOfKey, type HostKey } from '../../webtable/index.js';
import { domainOf } from '../url/index.js';
import { growingArray } from './growing-array.js';
import { createKeyFile, readKeys } from './key-file.js';
import { NONE } from './resolve.js';
import type { ScannedRows } from './scan-rows.js';
import { createRecordSorter } from './sort/index.js';

/** The nodes of a level. */
export interface Nodes {
  readonly count: number;
  /** The node of each row, {@link NONE} where it has none. */
  readonly ofRow: Uint32Array;
  /** Their keys in the order of the nodes, in groups: row keys, or names with their labels from the last to the first. */
  keys(): AsyncGenerator<readonly string[]>;
  /** Of pages: the first node of each host. Of others: none. */
  readonly hostStarts: Uint32Array;
}

/** A node for each row that counts for itself, in the order of the rows. */
export function pageNodes({ keys, hostStarts }: ScannedRows, resolved: Uint32Array): Nodes {
  const ofRow = new Uint32Array(resolved.length);
  const starts = growingArray((length) => new Uint32Array(length));
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

/** A node for each host or domain that has a row which counts for itself, in the order of their names. */
export async function groupNodes(
  level: 'host' | 'domain',
  { hosts, hostStarts, kinds }: ScannedRows,
  resolved: Uint32Array,
  folder: string,
): Promise<Nodes> {
  const ofHost = new Uint32Array(hostStarts.length).fill(NONE);
  const path = `${folder}/${level}-names`;
  const sorter = createRecordSorter({ folder });
  let host = 0;
  for await (const group of readKeys(hosts)) {
    for (const name of group) {
      if (hasNode(resolved, hostStarts[host]!, hostStarts[host + 1] ?? kinds.length)) {
        await sorter.add(nameRecord(level === 'host' ? name : domainKey(name as HostKey), host));
      }
      host += 1;
    }
  }
  await using file = await createKeyFile(path);
  let last: string | undefined;
  let count = 0;
  for await (const record of sorter.sorted()) {
    const name = record.toString('latin1', 0, record.length - NUMBER);
    if (name !== last) {
      await file.add(name);
      count += 1;
      last = name;
    }
    ofHost[record.readUInt32BE(record.length - NUMBER + 1)] = count - 1;
  }
  await file.end();
  return {
    count,
    ofRow: spread(ofHost, hostStarts, kinds.length),
    keys: () => readKeys(path),
    hostStarts: new Uint32Array(0),
  };
}

/** Bytes behind the name in a record: a zero, which sorts before all that a name may go on with, and the host. */
const NUMBER = 5;

function nameRecord(name: string, host: number): Buffer {
  const record = Buffer.alloc(name.length + NUMBER);
  record.write(name, 'latin1');
  record.writeUInt32BE(host, name.length + 1);
  return record;
}

function domainKey(host: HostKey): HostKey {
  return hostKeyOf(domainOf(hostOfKey(host)));
}

function hasNode(resolved: Uint32Array, from: number, to: number): boolean {
  for (let row = from; row < to; row++) if (resolved[row] === row) return true;
  return false;
}

/** What each row has of what each host has. */
function spread(ofHost: Uint32Array, hostStarts: Uint32Array, rows: number): Uint32Array {
  const ofRow = new Uint32Array(rows);
  for (let host = 0; host < ofHost.length; host++) {
    ofRow.fill(ofHost[host]!, hostStarts[host], hostStarts[host + 1] ?? rows);
  }
  return ofRow;
}
