// Runs the long forms of tests that `npm test` and CI run in a short form. `npm run soak -- --kills 300 [--seed n] [--only crawl,single]`
// kills the built command at random moments until n processes were killed, and compares each table at the end with that of an undisturbed
// run. `npm run soak -- --only seeds` runs `npm test` with many seeds; `--only kill,shards` runs these suites at full size.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runNode } from './run-node.mjs';
import { setup } from './setup.mjs';
import { SUITES } from './test.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

try {
  const { values } = parseArgs({
    options: {
      kills: { type: 'string', default: '60' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
    },
  });
  const [kills, seed] = [wholeNumber('kills', values.kills), wholeNumber('seed', values.seed)];
  const names = values.only?.split(',').filter((name) => name !== '') ?? [];
  const isSuite = (name) => name === 'seeds' || Object.hasOwn(SUITES, name);
  const [suites, scenarios] = [names.filter(isSuite), names.filter((name) => !isSuite(name))];
  setup();
  process.exitCode = 0;
  for (const suite of suites) {
    const args = suite === 'seeds' ? [] : [suite];
    const env = { ...process.env, WEBCRAWL_RUNS: 'many' };
    const code = await runNode(['scripts/test.mjs', ...args, '--disable-console-intercept'], { cwd: ROOT, env });
    process.exitCode ||= code;
  }
  if (scenarios.length > 0 || suites.length === 0) process.exitCode ||= await killAtRandom(kills, seed, scenarios);
} catch (error) {
  console.error(`soak: ${error.message}`);
  process.exitCode = 1;
}

function killAtRandom(kills, seed, only) {
  const vitest = join(createRequire(import.meta.url).resolve('vitest/package.json'), '../vitest.mjs');
  const args = ['run', '--config', 'test/soak/vitest.config.ts', '--disable-console-intercept'];
  const env = { ...process.env, WEBCRAWL_SOAK: JSON.stringify({ kills, seed, only }) };
  return runNode([vitest, ...args], { cwd: ROOT, env });
}

function wholeNumber(name, text) {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`expected a whole number for --${name}, found "${text}"`);
}
