// Reads row changes as lines of JSON from standard input, writes each line into a LevelDB table in one call, and prints its number when it
// is stored. Argument: the directory of the table.
import { Buffer } from 'node:buffer';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openLevelStore } from '../../dist/tests/webtable.js';

const store = await openLevelStore(process.argv[2]);
for await (const line of createInterface({ input: process.stdin })) {
  const { number, changes } = JSON.parse(line);
  await store.write(
    'webpage',
    changes.map(({ put, ...change }) => ({
      ...change,
      put: new Map(put.map(([column, value]) => [column, Buffer.from(value, 'latin1')])),
    })),
  );
  writeSync(1, `${number}\n`);
}
