/**
 * A cycle of a small batch on tables of different size: what generate, fetch, parse and updatedb take, and whether that grows with the
 * table. There is no network. Each job runs in its own process, on a copy of a table that is made once and cached.
 *
 * `fetch, rows only` and `parse, rows only` are the same command run again when all is done: it reads the rows of the batch and skips every
 * one. So its cost is that of selecting rows without the work on them.
 *
 * The second group of tables has rows that are due and that generate refuses. Once generate has refused them, they should cost no time, and
 * no more rows should be read.
 */
import { join } from 'node:path';
import { isWanted, scaled, type Bench, type BenchOptions, type BenchResult } from './lib/bench.js';
import { copyTable, makeTable } from './lib/cached-table.js';
import { GROUPS, TOP_N, planOf, writeRules, type Limits, type TableCase } from './lib/cycle-cases.js';
import {
  panelsOfSteps,
  ratioToBase,
  runSteps,
  stepsOnTables,
  type CycleSample,
  type Step,
  type StepFigures,
  type StepOnTable,
} from './lib/cycle-steps.js';
import { CYCLE_TABLE } from './lib/cycle-table.js';
import { inEmptyFolder } from './lib/folders.js';
import { alternate, over, samplesByName, type Sampled } from './lib/rounds.js';
import { tabulate } from './lib/table.js';

export const cycleBench: Bench = {
  about: 'a batch of 10,000 rows on tables of 50,000 to 5,000,000, and among rows that generate refuses',
  names: GROUPS.flatMap(({ tables }) => tables.map(({ name }) => name)),
  run,
};

interface MeasuredGroup {
  readonly steps: readonly Step[];
  readonly tables: readonly Sampled<TableCase, CycleSample>[];
}

async function run(options: BenchOptions): Promise<BenchResult> {
  const groups: MeasuredGroup[] = [];
  for (const { tables, steps } of GROUPS) {
    if (!tables.some(({ name }) => isWanted(options, name))) continue;
    const cases = tables.filter((table) => table === tables[0] || isWanted(options, table.name));
    const made = new Map<string, string>();
    for (const table of cases) {
      const plan = planOf(table, (count) => size(count, options.scale));
      made.set(table.name, await makeTable(options, CYCLE_TABLE, plan));
    }
    const measured = await alternate(cases, options.rounds, async (table, round) => {
      options.say(`round ${round + 1} of ${options.rounds}: ${table.name}`);
      return runOn(table, steps, made.get(table.name)!, options);
    });
    groups.push({ steps, tables: measured });
  }
  return present(groups);
}

function size(count: number, scale: number): number {
  return scaled(count, scale, 100);
}

function runOn(
  table: TableCase,
  steps: readonly Step[],
  made: string,
  { cache, scale }: BenchOptions,
): Promise<CycleSample> {
  const { maxCount = -1, settings = {} } = table;
  const topN = size(table.topN ?? TOP_N, scale);
  return inEmptyFolder(join(cache, 'cycle-copy'), async (folder) => {
    const directory = join(folder, 'table');
    await writeRules(folder);
    await copyTable(made, directory);
    const all = { 'generate.maxCount': maxCount, ...settings };
    return runSteps({ table: `level:${directory}`, topN, settings: all, steps, folder });
  });
}

function present(groups: readonly MeasuredGroup[]): BenchResult {
  const all = groups.flatMap(({ tables, steps }) => stepsOnTables(tables, steps));
  const limited = (figure: (found: StepFigures) => number) => (one: StepOnTable<TableCase>) =>
    one.table.atMost && ratioToBase(one, figure);
  const goal =
    (limit: keyof Limits) =>
    ({ step, table: { atMost } }: StepOnTable<TableCase>) =>
      step.isJudged && atMost?.[limit] !== undefined ? `≤ ${atMost[limit]}` : undefined;
  const { columns, rows } = tabulate(
    all,
    {
      step: { head: 'job', of: ({ step }) => step.name },
      table: { head: 'table', of: ({ table }) => table.name },
      did: { head: 'rows done', of: ({ samples }) => samples[0]?.did },
      seconds: { head: 'seconds', digits: 3, of: over(({ seconds }) => seconds) },
      timeRatio: { head: 'ratio', digits: 2, of: limited(({ seconds }) => seconds) },
      timeAsked: { head: 'asked', of: goal('seconds') },
      rowsRead: { head: 'rows read', of: over(({ rowsRead }) => rowsRead) },
      rowsRatio: { head: 'ratio', digits: 2, of: limited(({ rowsRead }) => rowsRead) },
      rowsAsked: { head: 'asked', of: goal('rowsRead') },
      memory: { head: 'own MB', of: over(({ ownMb }) => ownMb) },
      memoryRatio: { head: 'ratio', digits: 2, of: limited(({ ownMb }) => ownMb) },
      memoryAsked: { head: 'asked', of: goal('memory') },
      resident: { head: 'with mapped files', of: over(({ residentMb }) => residentMb) },
    },
    ({ table }) => ({ label: table.name }),
  );
  const bases = groups.map(({ tables }) => tables[0]!.name);
  const shown = all.filter(({ table: { name, atMost } }) => atMost || bases.includes(name));
  return {
    title: 'cycle: what a batch costs as the table grows',
    columns,
    rows,
    notes: [
      ...groups.flatMap(({ tables }) => tables.map(({ name, about }) => `${name}: ${about}.`)),
      `Ratios are of medians, to ${bases.join(' and ')}. Time is that of the job, without opening the table.`,
      'Rows read are keys of pages that the store is asked for, and rows that a scan of it gives.',
      'Own MB is the peak of the memory of the process; besides it the system maps what is read of the files of the table, which it can take back at any time.',
      'Fetch and parse do the same work on each page of any table; "rows only" is their selection of rows alone.',
    ],
    chart: { title: 'A cycle costs what its batch costs', panels: panelsOfSteps(shown, 3) },
    samples: samplesByName(groups.flatMap(({ tables }) => tables)),
  };
}
