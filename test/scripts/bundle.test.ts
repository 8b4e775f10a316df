import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/docs/source-files.js';

const COMMAND = join(ROOT, 'dist/bin');

/** What a file of the command imports as it is loaded, and all that these import. */
function loadedBy(file: string, seen = new Set<string>()): ReadonlySet<string> {
  if (seen.has(file)) return seen;
  seen.add(file);
  const text = readFileSync(file, 'utf8');
  for (const [, from = ''] of text.matchAll(/^(?:import|export)\b[^'"]*['"]([^'"]+)['"];$/gm)) {
    if (from.startsWith('.')) loadedBy(join(dirname(file), from), seen);
    else if (!from.startsWith('node:')) seen.add(from);
  }
  return seen;
}
const packagesOf = (name: string): string[] =>
  [...loadedBy(join(COMMAND, name))].filter((file) => !file.startsWith(COMMAND)).sort();

test('help and wrong usage load the package that reads command lines, and no other', () => {
  expect(packagesOf('webcrawl.js')).toEqual([]);
  expect(packagesOf('main.js')).toEqual(['commander']);
});

test('a thread that parses loads what it parses with, and nothing of requests or tables', () => {
  const packages = packagesOf('parse-worker.js');
  expect(packages).toContain('parse5');
  for (const other of ['undici', 'level', 'commander', 'prom-client']) expect(packages).not.toContain(other);
});
