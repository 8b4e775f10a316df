// `npm run soak -- --kills 300 [--seed n] [--only crawl,single]`: kills the built command at random moments until so many
// processes were killed, and compares what each table holds at the end with that of a run that nobody disturbed.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { runNode } from './run-node.mjs';
import { setup } from './setup.mjs';

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
  const only = values.only?.split(',').filter((name) => name !== '') ?? [];
  setup();
  const vitest = join(createRequire(import.meta.url).resolve('vitest/package.json'), '../vitest.mjs');
  const args = ['run', '--config', 'test/soak/vitest.config.ts', '--disable-console-intercept'];
  const env = { ...process.env, WEBCRAWL_SOAK: JSON.stringify({ kills, seed, only }) };
  process.exitCode = await runNode([vitest, ...args], { cwd: ROOT, env });
} catch (error) {
  console.error(`soak: ${error.message}`);
  process.exitCode = 1;
}

function wholeNumber(name, text) {
  if (/^\d{1,9}$/.test(text)) return Number(text);
  throw new Error(`expected a whole number for --${name}, found "${text}"`);
}
