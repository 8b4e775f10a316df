import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** Phrases that comments, messages, help texts and documents must not use, and what to write instead. */
const INSTEAD: Readonly<Record<string, string>> = {
  'of which': 'whose, its, or a sentence of its own',
  nobody: 'no one, no process, or a verb: not used, unreferenced',
  anew: 'again, or the verb: rebuild, retry, restart',
  'at the most': 'at most, maximum number of',
  'so many': 'n, as many, this number of',
  whoever: 'anyone who, or the noun: the caller, the owner of the slot',
  somebody: 'another worker, another process, a user',
  'lets go': 'releases',
  'is had': 'exists',
};

const FOLDERS = ['packages', 'webtable', 'config', 'bin', 'docs'];
const DOCUMENTS = ['README.md', 'ARCHITECTURE.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'bench/README.md'];
const IS_TEXT = /\.(?:ts|mjs|js|md|ya?ml|sh|css|html|sbatch)$/;
/** Generated from the source by `npm run docs`. */
const GENERATED = ['docs/REFERENCE.md', 'docs/SETTINGS.md'];

const pathsIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => IS_TEXT.test(name))
    .map((name) => posix.join(folder, name.split(sep).join('/')));

/** A phrase may continue on the next line, after the start of a comment line. */
const PATTERN = new RegExp(
  `(?<![\\w-])(${Object.keys(INSTEAD)
    .map((phrase) => phrase.replaceAll(' ', '(?:[ \\t]|\\n[ \\t]*(?:\\*|//|#|>)?[ \\t]*)+'))
    .join('|')})(?![\\w-])`,
  'gi',
);

/** Every listed phrase in a text, as `file:line: "phrase", write: …`. */
function found(path: string, text: string): string[] {
  return [...text.matchAll(PATTERN)].map(({ 0: phrase, index }) => {
    const plain = phrase.toLowerCase().replace(/\s+(?:\*|\/\/|#|>)?\s*/g, ' ');
    return `${path}:${text.slice(0, index).split('\n').length}: "${plain}", write: ${INSTEAD[plain]}`;
  });
}

describe('the words of comments, messages, help texts and documents', () => {
  test('contain none of these phrases', () => {
    const paths = [...FOLDERS.flatMap(pathsIn), ...DOCUMENTS].filter((path) => !GENERATED.includes(path));
    expect(paths.flatMap((path) => found(path, readFileSync(join(ROOT, path), 'utf8')))).toEqual([]);
  });

  test('are found across lines and in any letter case, with their line', () => {
    expect(found('a.ts', 'one\n/** Rows, so\n * many. Nobody */')).toEqual([
      `a.ts:2: "so many", write: ${INSTEAD['so many']}`,
      `a.ts:3: "nobody", write: ${INSTEAD['nobody']}`,
    ]);
    expect(found('a.ts', 'lookAnew NOBODY_ELSE a-new')).toEqual([]);
  });
});

test('the glossary has each term once, with one short sentence', () => {
  const [, glossary = ''] = readFileSync(join(ROOT, 'ARCHITECTURE.md'), 'utf8').split('\n## Glossary\n');
  const rows = [...glossary.matchAll(/^\| ([a-z][^|]*?) +\| ([^|]*?) *\|$/gm)].slice(1);
  const terms = rows.map(([, term = '']) => term);
  expect(terms.length).toBeGreaterThan(30);
  expect(terms).toEqual([...new Set(terms)]);
  expect(rows.filter(([, , meaning = '']) => meaning.length === 0 || meaning.length > 120)).toEqual([]);
});
