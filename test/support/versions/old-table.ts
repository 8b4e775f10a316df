import { openLevelStore, openTables, rowKeyOf } from '../../../packages/webcrawl/internal.js';
import { randomNumbers } from '../web/fake-web.js';
import { putOldInlinks, setVersion } from './version-6.js';

/** The number of rows that are written together. */
const CHUNK = 500;

/** Makes a table of version 6 in a folder. @returns its number of inlinks */
export async function makeOldTable(directory: string, rows: number, seed = 1): Promise<number> {
  const random = randomNumbers(seed);
  const key = (n: number): string => rowKeyOf(`http://h${n % 9}.example.com/pages/${n}`);
  const store = await openLevelStore(directory);
  const { pages, close } = await openTables(store);
  let links = 0;
  for (let start = 0; start < rows; start += CHUNK) {
    const keys = Array.from({ length: Math.min(CHUNK, rows - start) }, (_, i) => key(start + i));
    await pages.write(keys.map((each) => ({ key: each, set: { status: 'unfetched', score: random() } })));
    const old = keys.map((each) => {
      const sources = Array.from({ length: Math.floor(random() * 25) }, () => key(Math.floor(random() * rows)));
      return { key: each, inlinks: new Map(sources.map((source) => [source, { anchor: 'a link', score: random() }])) };
    });
    await putOldInlinks(store, old);
    for (const { inlinks } of old) links += inlinks.size;
  }
  await setVersion(store, '6');
  await close();
  return links;
}
