import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { differences, faults } from '../soak/end-state.js';
import { PEACE, runSteps, type Killer, type Outcome } from '../soak/killed-steps.js';
import { madeWeb, type MadeWeb } from '../soak/made-web.js';
import { SCENARIOS, type Scenario } from '../soak/scenarios.js';
import { requireCommand } from '../support/command-process.js';
import { runs } from '../support/runs.js';
import { randomNumbers } from '../support/web/fake-web.js';

const SEED = 7;
const LONG = 900_000;
/** Number of kills of each step, at most. */
const TRIES = runs(1, 4);
/** The share of the steps that are killed. */
const CHANCE = runs(0.6, 0.9);
/** A step is killed at most this many milliseconds after it begins to open the table. */
const SPAN = 500;

/** The commands of each scenario, and the number of its steps. */
const COMMANDS: readonly (readonly [commands: string, scenario: string, steps: number])[] = [
  ['inject, generate, fetch, parse and updatedb', 'single', 11],
  ['crawl', 'recrawl', runs(2, 8)],
  ['crawl --serve', 'serve', runs(1, 2)],
];

let folder: string;
let web: MadeWeb;
beforeAll(async () => {
  requireCommand();
  folder = await mkdtemp(join(tmpdir(), 'webcrawl-kill-'));
  web = await madeWeb(SEED);
});
afterAll(async () => {
  await web.close();
  await rm(folder, { recursive: true, force: true });
});

const newFolder = (): Promise<string> => mkdtemp(join(folder, 'run-'));

test.each(COMMANDS)(
  '%s: killed at random moments, they leave the table of an undisturbed run',
  async (_, name, count) => {
    const { steps, ...rest } = SCENARIOS[name]!;
    const scenario: Scenario = { ...rest, steps: steps.slice(0, count) };
    const expected: Outcome[] = [];
    await runSteps(await newFolder(), web, scenario, PEACE, (_, outcome) => expected.push(outcome) > 0);
    const random = randomNumbers(11);
    let kills = 0;
    const killer: Killer = {
      next(step, tries) {
        const { span = SPAN } = scenario.steps[step]!;
        const isKilled = tries < TRIES && (random() < CHANCE || count === 1);
        return isKilled ? random() * Math.min(span, expected[step]!.worked) : undefined;
      },
      onKill: () => void (kills += 1),
    };
    const lines: string[] = [];
    const repaired = await runSteps(await newFolder(), web, scenario, killer, (step, { state }) => {
      if (!scenario.steps[step]!.isUnsettled) lines.push(...differences(expected[step]!.state, state));
      return true;
    });
    lines.push(...faults(repaired));
    expect(lines, lines.join('\n')).toEqual([]);
    expect(kills).toBeGreaterThan(0);
  },
  LONG,
);
