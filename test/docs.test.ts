import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { describeSettings } from '../config/index.js';
import { printedFiles } from './support/doc-examples.js';
import { sourceFiles } from './support/source-files.js';

const ROOT = fileURLToPath(new URL('..', import.meta.url));
const DOCUMENTS = [
  'README.md',
  'ARCHITECTURE.md',
  'SECURITY.md',
  'CONTRIBUTING.md',
  'docs/PLUGINS.md',
  'docs/GUIDE.md',
  'docs/EMBEDDING.md',
];
const textOf = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
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
    expect(named.filter((name) => !keys.has(name) && !/\.(ts|js|md)$/.test(name))).toEqual([]);
  });

  test('names files and folders that exist', async () => {
    const printed = await printedFiles(document);
    const known = [
      ...sourceFiles().map(({ path }) => path),
      ...readdirSync(join(ROOT, 'test'), { recursive: true }).map((name) => `test/${String(name)}`),
    ];
    const files = namesIn(text).filter((name) => /^[\w./-]+\.(ts|mjs|json|txt|md)$/.test(name));
    const folders = namesIn(text).filter((name) =>
      /^(packages|webtable|config|bin|test|bench|docs)\/[\w./-]*$/.test(name),
    );
    const missing = [...files, ...folders].filter(
      (name) => !existsSync(join(ROOT, name)) && !known.some((path) => path.endsWith(`/${name}`)),
    );
    // Made by the first benchmark.
    expect(missing.filter((name) => name !== 'bench/results' && !printed.has(name))).toEqual([]);
  });

  test('has links that lead somewhere', () => {
    const links = [...text.matchAll(/\]\(([^)#\s]+)(#[^)]*)?\)/g)].map(([, link = '']) => link);
    const broken = links.filter((link) => !/^https?:/.test(link) && !existsSync(join(ROOT, dirname(document), link)));
    expect(broken).toEqual([]);
    const anchors = [...text.matchAll(/\]\(#([^)]+)\)/g)].map(([, anchor = '']) => anchor);
    const headings = [...text.matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
      heading
        .toLowerCase()
        .replace(/[^\w\s-]/g, '')
        .replaceAll(' ', '-'),
    );
    expect(anchors.filter((anchor) => !headings.includes(anchor))).toEqual([]);
  });
});

test('ARCHITECTURE.md stays readable in one sitting', () => {
  expect(textOf('ARCHITECTURE.md').trimEnd().split('\n').length).toBeLessThanOrEqual(160);
});

test('the scripts that documents run are there', () => {
  const { scripts } = JSON.parse(textOf('package.json')) as { scripts: Readonly<Record<string, string>> };
  const run = DOCUMENTS.flatMap((name) =>
    [...textOf(name).matchAll(/npm run ([\w:]+)/g)].map(([, script = '']) => script),
  );
  expect(run.filter((script) => !script.endsWith(':') && !Object.hasOwn(scripts, script))).toEqual([]);
});

test('every benchmark is in the README', () => {
  const main = textOf('bench/main.ts');
  const names = [...main.matchAll(/^ {2}(\w+): \w+Bench,$/gm)].map(([, name = '']) => name);
  expect(names.length).toBeGreaterThan(2);
  const readme = textOf('README.md');
  expect(names.filter((name) => !readme.includes(`npm run bench -- ${name}`))).toEqual([]);
});
