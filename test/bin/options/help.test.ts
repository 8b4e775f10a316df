import { readFile } from 'node:fs/promises';
import { describe, expect, test } from 'vitest';
import type { Command } from 'commander';
import { HELP_ALL, RARE_OPTIONS } from '../../../bin/help.js';
import { buildProgram } from '../../../bin/program.js';
import { ERROR_CODES } from '../../../packages/errors/index.js';
import { runLine, testIo } from '../test-io.js';

/** The options that a help lists. */
const listed = (help: string): string[] =>
  [...help.matchAll(/^ {2}(?:-\w, )?(--[\w-]+)/gm)].map(([, long = '']) => long);

function commandsBelow(command: Command): Command[] {
  return [command, ...command.commands.flatMap((one) => commandsBelow(one))];
}

describe('help', () => {
  test('lists as rare only options and commands that exist', () => {
    const commands = commandsBelow(buildProgram(testIo()).command);
    for (const [name, rare] of Object.entries(RARE_OPTIONS)) {
      const known = commands
        .filter((one) => one.name() === name)
        .flatMap(({ options }) => options.map(({ long }) => long));
      expect(known, name).toEqual(expect.arrayContaining([...rare]));
    }
  });

  test(`shows examples first, then the usual options; ${HELP_ALL} shows them all`, async () => {
    const { out: usual } = await runLine(['crawl', '--help']);
    const { out: all } = await runLine(['crawl', HELP_ALL]);
    for (const out of [usual, all]) expect(out.indexOf('Examples:')).toBeLessThan(out.indexOf('Options:'));
    expect(listed(usual)).toEqual(expect.arrayContaining(['--max-pages', '--stay', '--table']));
    for (const rare of [...RARE_OPTIONS['crawl']!, ...RARE_OPTIONS['webcrawl']!]) {
      expect(listed(usual)).not.toContain(rare);
      expect(listed(all)).toContain(rare);
    }
  });

  test('omits no option that README, START and GUIDE use', async () => {
    const { command: program } = buildProgram(testIo());
    const options = commandsBelow(program).flatMap((one) =>
      one.options.map(({ long = '' }) => ({ long, isRare: RARE_OPTIONS[one.name()]?.includes(long) === true })),
    );
    const omitted = new Set(options.map(({ long }) => long));
    for (const { long, isRare } of options) if (!isRare) omitted.delete(long);
    const used = new Set<string>();
    for (const page of ['README.md', 'docs/START.md', 'docs/GUIDE.md']) {
      const text = await readFile(new URL(`../../../${page}`, import.meta.url), 'utf8');
      for (const [, line = ''] of text.matchAll(/\bwebcrawl ([a-z][^`\n]*)/g)) {
        const [verb, sub] = line.split(' ');
        const command = program.commands.find((one) => one.name() === verb);
        const name = command?.commands.find((one) => one.name() === sub)?.name() ?? verb!;
        for (const [option] of line.matchAll(/--[a-z][\w-]*/g)) used.add(`${name} ${option}`);
      }
      // Some options are named without their command.
      for (const [option] of text.matchAll(/--[a-z][\w-]*/g)) expect([...omitted]).not.toContain(option);
    }
    expect(used).toContain('crawl --agent');
    const rare = Object.entries(RARE_OPTIONS).flatMap(([name, options]) => options.map((each) => `${name} ${each}`));
    expect(rare.filter((each) => used.has(each))).toEqual([]);
  });

  test('keeps the notes, after the options', async () => {
    const { out } = await runLine(['crawl', '--help']);
    expect(out.indexOf('A pattern is a regular expression')).toBeGreaterThan(out.indexOf('Global Options:'));
  });

  test(`has the exit codes with ${HELP_ALL} only`, async () => {
    const { out } = await runLine([HELP_ALL]);
    for (const code of Object.keys(ERROR_CODES)) expect(out).toContain(`${code}: `);
    expect(out).toMatch(/^ {2}130 /m);
    expect((await runLine(['--help'])).out).not.toContain('STORE_FULL');
  });
});
