// Runs the tests. `node scripts/test.mjs` runs what is quick, and says at its end which suites it left out;
// `node scripts/test.mjs <suite>` runs one of those. Further arguments go to vitest; a test file among them runs alone.
import { spawn } from 'node:child_process';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { setup } from './setup.mjs';

const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The suites with a command of their own, `npm run test:<name>`: their files, and what each is for. */
export const SUITES = {
  histories: {
    files: ['test/jobs/crash.test.ts', 'test/jobs/generate-order.test.ts', 'test/webtable/store-histories.test.ts'],
    about: 'random histories of tables, and jobs that fail between any two writes',
  },
  kill: { files: ['test/kill'], about: 'processes that are killed at random moments' },
  politeness: { files: ['test/politeness/politeness.test.ts'], about: 'the access log of 200 hosts' },
  site: { files: ['test/site'], about: 'real manuals, crawled beside GNU Wget' },
  browser: { files: ['test/browser'], about: 'pages rendered by a real Chromium' },
  package: { files: ['test/package.test.ts'], about: 'the packed package, as a stranger would use it' },
  bench: { files: ['test/bench/smoke.test.ts'], about: 'each benchmark at a very small scale' },
};

async function main(args) {
  setup();
  const suite = Object.hasOwn(SUITES, args[0] ?? '') ? args[0] : undefined;
  const rest = suite === undefined ? args : args.slice(1);
  const code = await vitest([...filesOf(suite, rest), ...rest]);
  if (suite === undefined && !namesFiles(rest)) console.log(leftOut());
  return code;
}

function filesOf(suite, rest) {
  if (suite !== undefined) return SUITES[suite].files;
  if (namesFiles(rest)) return [];
  return Object.values(SUITES).flatMap(({ files }) => files.flatMap((file) => ['--exclude', excluded(file)]));
}

const excluded = (file) => (file.endsWith('.ts') ? file : `${file}/**`);
const namesFiles = (args) => args.some((arg) => !arg.startsWith('-'));

/** What `npm test` did not run, and how to run it. */
function leftOut() {
  const width = Math.max(...Object.keys(SUITES).map((name) => name.length));
  const lines = Object.entries(SUITES).map(([name, { about }]) => `  npm run test:${name.padEnd(width)}  ${about}`);
  return `Not run, since these take longer (.ci/run runs everything):\n${lines.join('\n')}`;
}

/** Runs vitest, hands signals on to it, and returns its exit status. */
function vitest(args) {
  const entry = join(createRequire(import.meta.url).resolve('vitest/package.json'), '../vitest.mjs');
  const child = spawn(process.execPath, [entry, 'run', ...args], { cwd: ROOT, stdio: 'inherit' });
  const handOn = (signal) => void child.kill(signal);
  process.on('SIGINT', handOn).on('SIGTERM', handOn);
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      process.off('SIGINT', handOn).off('SIGTERM', handOn);
      resolve(code ?? (signal === 'SIGINT' ? 130 : 1));
    });
  });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error(`webcrawl: ${error.message}`);
    process.exitCode = 1;
  }
}
