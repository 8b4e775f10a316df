import { describe, expect, test } from 'vitest';
import type { Command } from 'commander';
import { buildProgram } from '../../../bin/program.js';
import { ERROR_CODES } from '../../../packages/errors/index.js';
import { VERSION } from '../../../packages/util/index.js';
import { Sink, runLine, testIo } from '../test-io.js';

function commandsBelow(command: Command, path: readonly string[] = []): (readonly [string, Command])[] {
  const below = command.commands.flatMap((one) => commandsBelow(one, [...path, one.name()]));
  return [[path.join(' '), command], ...below];
}

const { command: program } = buildProgram(testIo());
const commands = new Map(commandsBelow(program));
const optionsOf = (path: string): string[] =>
  commands.get(path)?.options.flatMap(({ short, long }) => [short, long].flatMap((name) => name ?? [])) ?? [];
const OF_ALL = [...optionsOf(''), '-h', '--help'];

async function helpOf(path: string, columns: number): Promise<string> {
  const io = { ...testIo(), stdout: new Sink({ columns }) };
  return (await runLine([...path.split(' ').filter(Boolean), '--help'], io)).out;
}

/** Returns the options that a paragraph or an example of a help uses and that none of its commands lists. */
function unlisted(path: string, help: string): string[] {
  const parts = help.replace(/\\\n +/g, '').split(/\n\n|\n(?= {2}webcrawl)/);
  return parts.flatMap((part) => {
    const text = part.replace(/\s+/g, ' ');
    const named = [...text.matchAll(/webcrawl ((?:[a-z-]+ ?)+)/g)].flatMap(([, names = '']) => {
      const [verb = '', sub] = names.split(' ');
      return [...optionsOf(verb), ...optionsOf(`${verb} ${sub}`)];
    });
    const known = new Set([...OF_ALL, ...optionsOf(path), ...named]);
    return (text.match(/(?<![\w-])--[a-z][\w-]*/g) ?? []).filter((option) => !known.has(option));
  });
}

describe.each([...commands.keys()])('help of webcrawl %s', (path) => {
  test('lists every option that it mentions', async () => {
    const help = await helpOf(path, 100);
    expect(unlisted(path, help)).toEqual([]);
  });

  test.each([80, 60])('fits a terminal of %i columns', async (columns) => {
    const help = await helpOf(path, columns);
    const text = columns < 80 ? help.replace(/^Examples:[^]*?(?=\n\n[A-Z][\w ,]*:\n)/m, '') : help;
    expect(text.split('\n').filter((line) => line.length > columns && / .* /.test(line.trim()))).toEqual([]);
  });

  test('shows commands before options', async () => {
    const help = await helpOf(path, 80);
    const below = commands.get(path)!.commands.map((one) => help.search(new RegExp(`^  ${one.name()} `, 'm')));
    expect(help.indexOf('\nOptions:')).toBeGreaterThan(Math.max(0, ...below));
    expect(below).not.toContain(-1);
  });
});

describe('short help', () => {
  test.each(['', 'check', 'export', 'table'])(
    'is shown on standard output for webcrawl %s without a command',
    async (path) => {
      const names = path.split(' ').filter(Boolean);
      const { code, out, err } = await runLine(names);
      expect({ code, err }).toEqual({ code: 0, err: '' });
      expect(out).toMatch(new RegExp(`^  ${commands.get(path)!.commands[0]!.name()} `, 'm'));
      expect(out).not.toContain('Options:');
      expect(await runLine([...names, '-h'])).toEqual({ code, out, err });
    },
  );
});

test('-h of a command has its options, and no notes', async () => {
  const { out } = await runLine(['crawl', '-h']);
  expect(out).toContain('--max-pages <n>');
  expect(out).not.toContain('Rounds overlap');
  expect(out).toMatch(/\n\nwebcrawl crawl --help shows more\.\n$/);
});

test.each([['-V'], ['--version'], ['version']])('%s prints the version', async (arg) => {
  expect(await runLine([arg])).toEqual({ code: 0, out: `${VERSION}\n`, err: '' });
});

test('exit-codes lists every code of an error', async () => {
  const { out } = await runLine(['exit-codes']);
  for (const code of Object.keys(ERROR_CODES)) expect(out).toContain(`${code}: `);
  expect(out).toMatch(/^130 /m);
});
