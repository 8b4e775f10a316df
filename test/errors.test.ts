import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { CrawlError, ERROR_CODES } from '../packages/errors/index.js';
import { ROOT, sourcePaths } from './support/docs/source-files.js';

const codes = Object.entries(ERROR_CODES);
const sources = sourcePaths()
  .filter((path) => path !== 'packages/errors/codes.ts')
  .map((path) => ({ path, text: readFileSync(join(ROOT, path), 'utf8') }));

describe('error codes', () => {
  test.each(codes)('%s is used somewhere', (code) => {
    const users = sources.filter(({ text }) => text.includes(`'${code}'`)).map(({ path }) => path);
    expect(users, `no source file mentions '${code}'`).not.toEqual([]);
  });

  test('every thrown code exists', () => {
    for (const { path, text } of sources) {
      for (const [, code = ''] of text.matchAll(/new CrawlError\(\s*'(\w+)'/g)) {
        expect(ERROR_CODES, `${path} throws ${code}`).toHaveProperty(code);
      }
    }
  });

  test('no exit status has another common meaning', () => {
    for (const [code, { exitCode, meaning }] of codes) {
      expect(exitCode, code).toBeGreaterThanOrEqual(64);
      expect(exitCode, code).toBeLessThan(126);
      expect(meaning, code).toMatch(/^\S.{10,100}[^.\s]$/);
      expect(new CrawlError(code as keyof typeof ERROR_CODES, 'x').exitCode).toBe(exitCode);
    }
  });

  test.each(codes)('docs/COMMANDS.md has a row for %s with its exit status', (code, { exitCode }) => {
    const commands = readFileSync(new URL('../docs/COMMANDS.md', import.meta.url), 'utf8');
    const row = commands.split('\n').find((line) => line.startsWith('|') && line.includes(`\`${code}\``));
    expect(row, `no row of a table in docs/COMMANDS.md names \`${code}\``).toBeDefined();
    expect(row).toMatch(new RegExp(`\\|\\s*\`?${exitCode}\`?\\s*\\|`));
  });

  test('docs/COMMANDS.md has no unknown code', () => {
    const commands = readFileSync(new URL('../docs/COMMANDS.md', import.meta.url), 'utf8');
    const named = [...commands.matchAll(/^\|.*`([A-Z]+(?:_[A-Z]+)*)`.*\|\s*`?\d+`?\s*\|/gm)].map(([, code]) => code);
    for (const code of named) expect(ERROR_CODES).toHaveProperty(code ?? '');
  });
});

test('instanceof accepts errors of another copy of the class; for a derived class, only its own', () => {
  class Special extends CrawlError {}
  const own = new CrawlError('CLOSED', 'x');
  const ofOtherCopy = Object.assign(new Error('x'), { [Symbol.for('webcrawl.CrawlError')]: true });
  expect([own, new Special('CLOSED', 'x'), ofOtherCopy].every((error) => error instanceof CrawlError)).toBe(true);
  expect([new Error('x'), 'x', undefined, null].some((error) => (error as unknown) instanceof CrawlError)).toBe(false);
  expect(new Special('CLOSED', 'x') instanceof Special).toBe(true);
  expect(own instanceof Special).toBe(false);
});
