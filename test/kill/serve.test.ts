import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import { differences, faults } from '../soak/end-state.js';
import { PEACE, runSteps, type Outcome } from '../soak/killed-steps.js';
import { madeWeb } from '../soak/made-web.js';
import { SCENARIOS } from '../soak/scenarios.js';
import { requireCommand } from '../support/command-process.js';
import { runs } from '../support/runs.js';
import { randomNumbers } from '../support/web/fake-web.js';

const KILLS = runs(3, 6);
/** The days of the crawl: on the second day some pages have changed, and some are gone. */
const DAYS = runs(1, 2);
const LONG = 900_000;

beforeAll(requireCommand);

test(
  `crawl --serve that is killed ${KILLS} times ends with the same table and index as one that was not`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webcrawl-serve-kill-'));
    const web = await madeWeb(7);
    const { steps, except } = SCENARIOS['serve']!;
    const scenario = { steps: steps.slice(0, DAYS), except };
    try {
      const expected: Outcome[] = [];
      const peace = await mkdtemp(join(folder, 'run-'));
      await runSteps(peace, web, scenario, PEACE, (_, outcome) => expected.push(outcome) > 0);
      expect(expected[0]!.state.documents.size).toBeGreaterThan(40);
      const random = randomNumbers(11);
      let kills = 0;
      const killer = {
        next: (step: number, tries: number) =>
          tries < KILLS / DAYS ? random() * Math.min(3000, expected[step]!.worked) * 1.15 ** tries : undefined,
        onKill: () => void (kills += 1),
      };
      const lines: string[] = [];
      const killed = await mkdtemp(join(folder, 'run-'));
      const repaired = await runSteps(killed, web, scenario, killer, (step, { state }) => {
        lines.push(...differences(expected[step]!.state, state));
        return true;
      });
      lines.push(...faults(repaired));
      expect(lines, lines.join('\n')).toEqual([]);
      expect(kills).toBeGreaterThan(0);
    } finally {
      await web.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
  LONG,
);
