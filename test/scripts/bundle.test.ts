import { spawnSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import module from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT } from '../support/docs/source-files.js';

const COMMAND = join(ROOT, 'dist/bin');

/** The modules that a file of the command imports at load time, directly or indirectly. */
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

test('help and wrong usage load only the package that reads command lines', () => {
  expect(packagesOf('webcrawl.js')).toEqual([]);
  expect(packagesOf('main.js')).toEqual(['commander']);
});

test.runIf('enableCompileCache' in module)(
  'threads and child processes store compiled code in the same place as the command',
  () => {
    const { NODE_COMPILE_CACHE: _, NODE_DISABLE_COMPILE_CACHE: __, ...env } = process.env;
    const shown = (given: NodeJS.ProcessEnv): string => {
      const show = 'data:text/javascript,process.on("exit", () => console.error(process.env.NODE_COMPILE_CACHE))';
      const args = ['--import', show, join(COMMAND, 'webcrawl.js'), '--version'];
      return spawnSync(process.execPath, args, { env: given, encoding: 'utf8' }).stderr.trim();
    };
    expect(shown(env)).toBe(join(tmpdir(), 'node-compile-cache'));
    expect(shown({ ...env, NODE_COMPILE_CACHE: join(tmpdir(), 'own-cache') })).toBe(join(tmpdir(), 'own-cache'));
    expect(shown({ ...env, NODE_DISABLE_COMPILE_CACHE: '1' })).toBe('undefined');
  },
);

test('a parse thread loads parsers, and no code for requests or tables', () => {
  const packages = packagesOf('parse-worker.js');
  expect(packages).toContain('parse5');
  for (const other of ['undici', 'level', 'commander', 'prom-client']) expect(packages).not.toContain(other);
});

const libraryOfCommand = (): string =>
  /import\("\.\/(internal[^"]*)"\)/.exec(readFileSync(join(COMMAND, 'main.js'), 'utf8'))?.[1] ?? '';

test('the HTTP client is loaded for the first request, by the command and by programs', () => {
  for (const library of [libraryOfCommand(), 'library.js', 'plugins.js']) {
    expect(packagesOf(library)).toContain('parse5');
    expect(packagesOf(library)).not.toContain('undici');
  }
});

test('the library of the command loads satellites only at their first call', () => {
  const library = libraryOfCommand();
  const loaded = [...loadedBy(join(COMMAND, library))].filter((file) => file.startsWith(COMMAND));
  const textOf = (files: readonly string[]): string => files.map((file) => readFileSync(file, 'utf8')).join('\n');
  const all = readdirSync(COMMAND).filter((name) => name.endsWith('.js'));
  const satellites = [
    'repair',
    'openHBaseStore',
    'buildGraphs',
    'writeTarget',
    'propose',
    'openIndexer',
    'createSearcher',
    'servePages',
  ];
  const named = (text: string): string[] =>
    satellites.filter((name) => text.includes(`async function ${name}(`) || text.includes(`function ${name}(`));
  expect(named(textOf(all.map((name) => join(COMMAND, name))))).toEqual(satellites);
  expect(named(textOf(loaded))).toEqual([]);
  expect(textOf(loaded)).toContain('function openContext(');
});
