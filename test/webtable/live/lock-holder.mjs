// Opens the table of a directory that another process has open, takes the lock `rows`, says so, and writes when told to by a
// line on standard input; then it says what became of it. Argument: the directory of the table.
import { Buffer } from 'node:buffer';
import { writeSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { openSharedStore } from '../../../dist/tests/webtable.js';

const store = await openSharedStore({
  directory: process.argv[2],
  open: () => Promise.reject(new Error('expected a table that is open elsewhere')),
  name: 'lock-holder',
  version: '1',
});
const lines = createInterface({ input: process.stdin })[Symbol.asyncIterator]();
try {
  await store.exclusive('rows', async () => {
    writeSync(1, 'held\n');
    await lines.next();
    await store.write('webpage', [{ key: 'late', put: new Map([['m:st', Buffer.from('1')]]) }]);
  });
  writeSync(1, 'written\n');
} catch (error) {
  writeSync(1, `${error.code}\n`);
}
process.exit(0);
