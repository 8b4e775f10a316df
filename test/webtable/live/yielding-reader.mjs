// Opens the table of a directory and yields it, but never finishes yielding. Prints `open` and `closing`. Argument: the directory.
import { Buffer } from 'node:buffer';
import { writeSync } from 'node:fs';
import { setInterval } from 'node:timers';
import { openLevelStore, openSharedStore } from '../../../dist/tests/webtable.js';

const directory = process.argv[2];
const store = await openSharedStore({
  directory,
  async open() {
    const level = await openLevelStore(directory);
    level.close = () => {
      writeSync(1, 'closing\n');
      return new Promise(() => {});
    };
    return level;
  },
  name: 'serve',
  version: '1',
  yields: true,
});
await store.serve();
await store.write('webpage', [{ key: 'a', put: new Map([['m:st', Buffer.from('1')]]) }]);
writeSync(1, 'open\n');
setInterval(() => {}, 1000);
