// Writes the row changes that come as lines of JSON on standard input into a LevelDB table, each line in one call, and
// prints its number when they are stored. Argument: the directory of the table.
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
