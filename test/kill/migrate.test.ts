import { cp, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { openLevelStore } from '../../packages/webcrawl/internal.js';
import { requireCommand, said, startCommand } from '../support/command-process.js';
import { runs, seeds } from '../support/runs.js';
import { dumpStore } from '../support/stores/copy-store.js';
import { makeOldTable } from '../support/versions/old-table.js';
import { versionOf } from '../support/versions/version-7.js';
import { randomNumbers } from '../support/web/fake-web.js';

const ROWS = runs(4000, 20_000);
/** After this number of kills, a migration runs to its end. */
const MOST_KILLS = 8;
/** Maximum milliseconds from the opening of the table to a kill; it grows with every kill, so that slow machines finish. */
const SPAN = 150;
const GROWTH = 1.4;

let folder: string;
let made: string;
beforeAll(async () => {
  requireCommand();
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-migrate-'));
  made = join(folder, 'made');
  await makeOldTable(made, ROWS);
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs the command on a copy of the table. @param killAfter undefined: it runs to its end */
async function migrated(name: string, killAfter: (tries: number) => number | undefined) {
  const place = join(folder, name);
  await cp(made, join(place, 'table'), { recursive: true });
  const versions: (string | undefined)[] = [];
  for (let tries = 0; ; tries++) {
    const { child, ended } = startCommand(place, ['migrate', '--verbose', '--wait', '60']);
    const after = killAfter(tries);
    if (after !== undefined) {
      await said(child, 'table level:');
      await pause(after);
      child.kill('SIGKILL');
    }
    const { code, err } = await ended;
    const store = await openLevelStore(join(place, 'table'));
    try {
      versions.push(await versionOf(store));
      if (child.signalCode === 'SIGKILL') continue;
      if (code !== 0) throw new Error(`migrate ended with ${code}: ${err}`);
      return { versions, dump: await dumpStore(store) };
    } finally {
      await store.close();
    }
  }
}

it.each(seeds(2, 30))('a migration that is killed several times ends with the same table, seed %i', async (seed) => {
  const expected = await migrated(`whole-${seed}`, () => undefined);
  expect(expected.versions).toEqual(['8']);
  const random = randomNumbers(seed);
  const { versions, dump } = await migrated(`killed-${seed}`, (tries) =>
    tries < MOST_KILLS ? random() * SPAN * GROWTH ** tries : undefined,
  );
  expect(versions.at(-1)).toBe('8');
  // The version never goes back.
  const order = ['7', '7>8', '8'];
  expect(versions).toEqual([...versions].sort((a, b) => order.indexOf(a!) - order.indexOf(b!)));
  expect(dump).toEqual(expected.dump);
});
