import { execFileSync, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { suiteFolder } from '../support/files/temp-folder.js';
import { runLine } from './test-io.js';

const folder = suiteFolder();

/** Returns the words that a shell offers for the last word of a line. */
type Complete = (script: string, line: string) => readonly string[];

const inBash: Complete = (script, line) => {
  const words = line.split(' ');
  const list = words.map((word) => `'${word}'`).join(' ');
  const run = `source '${script}'; COMP_WORDS=(${list}); COMP_CWORD=${words.length - 1}; _webcrawl; printf '%s\n' "\${COMPREPLY[@]}"`;
  return linesOf(execFileSync('bash', ['--norc', '-c', run], { encoding: 'utf8' }));
};

/** Instead of a menu, prints the words that would be in it. */
const inZsh: Complete = (script, line) => {
  const words = line.split(' ');
  const list = words.map((word) => `'${word}'`).join(' ');
  const run =
    `compdef() { :; }; source '${script}'; _files() { :; }; ` +
    `_describe() { for each in $found; do [[ "\${each%%:*}" == "\${words[CURRENT]}"* ]] && print -r -- "\${each%%:*}"; done }; ` +
    `() { local -a words=(${list}); local CURRENT=${words.length}; _webcrawl }; true`;
  return linesOf(execFileSync('zsh', ['-f', '-c', run], { encoding: 'utf8' }));
};

const inFish: Complete = (script, line) => {
  const run = `source '${script}'; complete -C '${line}'`;
  return linesOf(execFileSync('fish', ['--no-config', '-c', run], { encoding: 'utf8' })).map(
    (each) => each.split('\t')[0]!,
  );
};

const linesOf = (text: string): string[] => text.split('\n').filter((each) => each !== '');
const isInstalled = (shell: string): boolean => spawnSync(shell, ['--version']).status === 0;

describe.each([
  ['bash', inBash],
  ['zsh', inZsh],
  ['fish', inFish],
] as const)('completion in %s', (shell, complete) => {
  const isHere = isInstalled(shell);

  test.runIf(isHere).each([
    ['webcrawl exp', ['explain', 'export']],
    ['webcrawl export ', ['pages', 'chunks', 'warc', 'wacz', 'krake']],
    ['webcrawl crawl --sta', ['--stay']],
    ['webcrawl crawl --stay ', ['host', 'domain', 'path', 'any']],
    ['webcrawl crawl --stay any --ser', ['--serve']],
    ['webcrawl --table status export pa', ['pages']],
    ['webcrawl export pages --format mark', ['markdown']],
    ['webcrawl hosts --ta', ['--table']],
    ['webcrawl completion ', ['bash', 'zsh', 'fish']],
    ['webcrawl help exp', ['explain', 'export']],
  ])('%s', async (line, expected) => {
    const script = join(folder, shell);
    writeFileSync(script, (await runLine(['completion', shell])).out);
    const words = complete(script, line);
    expect(words).toEqual(expect.arrayContaining(expected));
    expect(words).toEqual([...new Set(words)]);
    const prefix = line.slice(line.lastIndexOf(' ') + 1);
    if (prefix !== '') expect(words.filter((word) => !word.startsWith(prefix))).toEqual([]);
    if (/ (exp|--stay )$/.test(line)) expect([...words].sort()).toEqual([...expected].sort());
  });
});

test('the completion of an unknown shell is refused', async () => {
  const { code, err } = await runLine(['completion', 'csh']);
  expect([code, err]).toEqual([64, expect.stringContaining('shell csh: not one of bash, zsh, fish')]);
});
