import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import type { Command } from 'commander';
import { buildProgram } from '../bin/program.js';
import { describeSettings } from '../config/index.js';
import { testIo } from './bin/test-io.js';
import { printedFiles } from './support/docs/doc-examples.js';
import { sourcePaths } from './support/docs/source-files.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
/** Written by `npm run docs`, and held to the source by tests of their own. */
const GENERATED = ['REFERENCE.md', 'SETTINGS.md'];
const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  ...readdirSync(join(ROOT, 'docs'))
    .filter((name) => name.endsWith('.md') && !GENERATED.includes(name))
    .map((name) => `docs/${name}`),
];
const textOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const KNOWN_PATHS = [
  ...sourcePaths(),
  ...readdirSync(join(ROOT, 'test'), { recursive: true }).map((name) => `test/${String(name)}`),
];
const { command: COMMAND } = buildProgram(testIo());
/** The anchors of its headings. */
const anchorsOf = (text: string): string[] =>
  [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\w\s-]/g, '')
      .replaceAll(' ', '-'),
  );

/** Every use of the command in a text: its verb, and what follows up to the end of the line, a pipe or a comment. */
function commandsIn(text: string): { verb: string; rest: string }[] {
  const uses = text.replaceAll('\\\n', ' ').matchAll(/\bwebcrawl ([a-z]+)([^\n`|;)#]*)/g);
  return [...uses].map(([, verb = '', rest = '']) => ({ verb, rest }));
}

const flagsOf = (command: Command): string[] =>
  command.options.flatMap(({ short, long }) => [short, long].flatMap((flag) => flag ?? []));

/** What stands in backticks outside of blocks of code. */
const namesIn = (text: string): string[] =>
  [...text.replace(/```.*?```/gs, '').matchAll(/`([^`\n]+)`/g)].map(([, name = '']) => name);

describe.each(DOCUMENTS)('%s', (document) => {
  const text = textOf(document);

  test('names settings that exist', () => {
    const keys = new Set(describeSettings().map(({ key }) => key));
    const sections = new Set([...keys].map((key) => key.split('.', 1)[0]));
    const named = namesIn(text).filter(
      (name) => /^[a-z]+\.[a-z]\w*$/i.test(name) && sections.has(name.split('.', 1)[0]),
    );
    // Nutch's own names have further dots or another case, and files have endings.
    expect(named.filter((name) => !keys.has(name) && !/\.(ts|js|md|cdxj)$/.test(name))).toEqual([]);
  });

  test('names files and folders that exist', async () => {
    const printed = await printedFiles(document);
    const files = namesIn(text).filter((name) => /^[\w./-]+\.(ts|mjs|json|txt|md)$/.test(name));
    const folders = namesIn(text).filter((name) =>
      /^(packages|webtable|config|bin|test|bench|docs)\/[\w./-]*$/.test(name),
    );
    const missing = [...files, ...folders].filter(
      (name) => !existsSync(join(ROOT, name)) && !KNOWN_PATHS.some((path) => path.endsWith(`/${name}`)),
    );
    // Made by the first benchmark.
    expect(missing.filter((name) => name !== 'bench/results' && !printed.has(name))).toEqual([]);
  });

  test('has links that lead somewhere', () => {
    const links = [...text.matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(ROOT, dirname(document), link)));
    expect(broken).toEqual([]);
    const anchors = [...text.matchAll(/\]\(([^)#\s]*)#([^)]+)\)/g)]
      .map(([, link = '', anchor = '']) => ({ link, anchor }))
      .filter(({ link }) => !/^https?:/.test(link));
    const lost = anchors.filter(({ link, anchor }) => {
      const there = link === '' ? text : textOf(join(dirname(document), link));
      return !anchorsOf(there).includes(anchor);
    });
    expect(lost).toEqual([]);
  });

  test('uses options and settings that exist', () => {
    const keys = new Set(describeSettings().map(({ key }) => key));
    const wrong = commandsIn(text).flatMap(({ verb, rest }) => {
      const found = COMMAND.commands.find((one) => one.name() === verb);
      if (!found) return [];
      const words = rest.split(/\s+/);
      const inner = found.commands.find((one) => one.name() === words[1]);
      const known = new Set(['-h', '--help', ...[COMMAND, found, ...(inner ? [inner] : [])].flatMap(flagsOf)]);
      const flags = words.filter((word) => /^--?[a-z][a-z-]*$/i.test(word) && !known.has(word));
      const settings = [...rest.matchAll(/--set '?([\w.]+)=/g)].map(([, key = '']) => key);
      // A page may show what is said to a wrong one.
      const isShown = (name: string): boolean => new RegExp(`${name}\\b.*: no such setting|'${name}'`).test(text);
      return [...flags, ...settings.filter((key) => !keys.has(key))]
        .filter((name) => !isShown(name))
        .map((name) => `webcrawl ${verb}: ${name}`);
    });
    expect(wrong).toEqual([]);
  });
});

/** What exists, in the words by which a text may deny it: verbs, stores, and what runs on more than one machine. */
const EXISTING = new Set([
  ...COMMAND.commands.map((command) => command.name()),
  ...['indexer', 'indexing', 'hbase', 'opensearch', 'slurm', 'kubernetes', 'linkrank', 'pagerank', 'machine', 'warc'],
]);
/** Words of other meanings, in what is denied rightly. */
const OTHER_WORDS = new Set(['fetch', 'parse', 'crawl', 'table', 'status', 'check', 'rules', 'help', 'config']);

/** Claims that something is not there: a cell of a table that says `none` or `none yet`, or the rest of a sentence. */
function denialsIn(text: string): string[] {
  const cells = [...text.matchAll(/^\|([^|\n]+)\| *none( yet)? *\|$/gm)].map(([, left = '']) => left);
  const sentences = [
    ...text.matchAll(/\b(?:There (?:is|are) \*{0,2}no|[Nn]o|[Nn]ot)\s[^.;:|]*?\byet\b/g),
    ...text.matchAll(/\bThere (?:is|are) (?:\*\*)?no\s[^.;:|]*/g),
    ...text.matchAll(/[^.;|]*\b(?:not supported|for now)\b/g),
  ].map(([claim]) => claim.split(/,\s(?:so|and|but|which)\s/, 1)[0]!);
  return [...cells, ...sentences];
}

test.each(DOCUMENTS)('%s denies nothing that exists', (document) => {
  const wrong = denialsIn(textOf(document)).filter((claim) =>
    (claim.toLowerCase().match(/[a-z]+/g) ?? []).some((word) => EXISTING.has(word) && !OTHER_WORDS.has(word)),
  );
  expect(wrong).toEqual([]);
});

test('claims that were wrong once are found', () => {
  const old = [
    'There is no Hadoop, HBase or Gora: the jobs run in one process',
    'There is **no\nindexer yet**, and no way',
    '| `dedup`, `webgraph`, `linkrank`, `warc` | none yet |',
    '| index-_, indexer-_, IndexingFilter | none yet |',
    '- **One machine for now**, and one process',
  ];
  for (const text of old) {
    const words = denialsIn(text).flatMap((claim) => claim.toLowerCase().match(/[a-z]+/g) ?? []);
    expect(
      words.some((word) => EXISTING.has(word) && !OTHER_WORDS.has(word)),
      text,
    ).toBe(true);
  }
});

test('ARCHITECTURE.md stays readable in one sitting', () => {
  // The glossary is to look words up in, and bounded by a test of its own.
  const [text = ''] = textOf('ARCHITECTURE.md').split('\n## Glossary\n');
  expect(text.trimEnd().split('\n').length).toBeLessThanOrEqual(150);
  expect(text.split(/\s+/).filter((word) => /\w/.test(word)).length).toBeLessThanOrEqual(3000);
});

test('the scripts that documents run are there', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Readonly<Record<string, string>> };
  const run = DOCUMENTS.flatMap((name) =>
    [...textOf(name).matchAll(/npm run ([\w:]+(?:-\w+)*)/g)].map(([, script = '']) => script),
  );
  expect(run.filter((script) => !script.endsWith(':') && !Object.hasOwn(scripts, script))).toEqual([]);
});

test('every suite with a command of its own is in CONTRIBUTING.md', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Readonly<Record<string, string>> };
  const suites = Object.keys(scripts).filter((name) => name.startsWith('test:'));
  const contributing = textOf('CONTRIBUTING.md');
  expect(suites.filter((name) => !contributing.includes(`\`npm run ${name}\``))).toEqual([]);
});

test('every benchmark is in bench/README.md', () => {
  const main = textOf('bench/main.ts');
  const names = [...main.matchAll(/^ {2}'?([\w-]+)'?: async \(\) => \(await import/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(2);
  const readme = textOf('bench/README.md');
  expect(names.filter((name) => !readme.includes(`npm run bench -- ${name}`))).toEqual([]);
});
