// Runs the tests. `node scripts/test.mjs` runs the quick ones, and lists the omitted suites at its end; `node scripts/test.mjs <suite>`
// runs one of those. Further arguments go to vitest; a test file among them runs alone.
import { existsSync, mkdtempSync, readdirSync, rmSync, statfsSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { runNode } from './run-node.mjs';
import { setup } from './setup.mjs';

/** The folder in which Linux keeps files in memory, and the bytes that tests may use at once. */
const MEMORY = '/dev/shm';
const LEAST_ROOM = 4e9;
const ROOT = fileURLToPath(new URL('..', import.meta.url));

/** The suites with a command of their own, `npm run test:<name>`: their files, and the purpose of each. */
export const SUITES = {
  stores: {
    files: ['test/webtable/stores.test.ts', 'test/webtable/store-histories.test.ts'],
    about: 'what every store must do, and random histories',
  },
  crash: {
    files: [
      'test/jobs/crash.test.ts',
      'test/jobs/rounds/overlap.test.ts',
      'test/jobs/selection/generate-order.test.ts',
    ],
    about: 'jobs that fail between any two writes; random tables over time',
  },
  kill: {
    files: ['test/kill', 'test/webtable/killed-writer.test.ts'],
    about: 'processes that are killed at random moments',
  },
  processes: {
    files: [
      'test/bin/process.test.ts',
      'test/webcrawl/all-verbs.test.ts',
      'test/bin/options/shard-process.test.ts',
      'test/bin/live.test.ts',
      'test/bin/maintain/backup.test.ts',
      'test/bin/maintain/migrate.test.ts',
      'test/bin/serve.test.ts',
      'test/bin/serve-full-disk.test.ts',
      'test/serve/serve-memory.test.ts',
      'test/webcrawl/parse-threads.test.ts',
      'test/scripts',
      'test/docs/transcripts.test.ts',
    ],
    about: 'the built command, several of them on one table, and threads',
  },
  export: {
    files: [
      'test/export/kill.test.ts',
      'test/export/programs/programs.test.ts',
      'test/export/programs/graph-programs.test.ts',
      'test/export/programs/webgraph.test.ts',
      'test/export/programs/doc-lines.test.ts',
      'test/audit/programs',
      'test/export/target',
      'test/export/warc/programs.test.ts',
      'test/export/krake/java.test.ts',
      'test/export/s3/s3.test.ts',
      'test/export/missing-packages.test.ts',
      'test/export/full-disk.test.ts',
    ],
    about: 'exports that are killed, and read by programs that others wrote',
  },
  hbase: {
    files: ['test/hbase'],
    about: 'the table on a real HBase of several processes, where Maven and a JDK are there',
  },
  opensearch: {
    files: ['test/opensearch'],
    about: 'a search index in a real OpenSearch, where Maven and a JDK are there',
  },
  hostile: {
    files: [
      'test/hostile',
      'test/fuzz',
      'test/parse/hostile.test.ts',
      'test/parse/document/pdf.test.ts',
      'test/parse/document/office-process.test.ts',
      'test/parse/charset/encodings.test.ts',
    ],
    about: 'a web that attacks the crawl, made-up input, every code of every encoding',
  },
  focus: {
    files: ['test/focus/proposals/random-webs.test.ts'],
    about: 'rules that are proposed on random webs: none cuts a relevant page, or the only way to one',
  },
  politeness: { files: ['test/politeness/politeness.test.ts'], about: 'the access log of 200 hosts' },
  shards: {
    files: ['test/shards'],
    about: 'one web crawled by one process and by workers on a real HBase, while these are killed',
  },
  slurm: {
    files: ['test/slurm'],
    about: 'workers on a real Slurm with three nodes and HBase, where Slurm, Maven and a JDK are there',
  },
  yarn: {
    files: ['test/yarn'],
    about: 'workers on a real Hadoop YARN and HBase, where Maven and a JDK are there',
  },
  site: { files: ['test/site'], about: 'real manuals, crawled beside GNU Wget' },
  browser: { files: ['test/browser'], about: 'pages rendered by a real Chromium' },
  manuals: {
    files: ['test/manuals'],
    about: '14,000 pages of manuals from the crawl to the search page, in a real Chromium',
  },
  'docs-site': {
    files: ['test/docs-site'],
    about: 'the documentation site: built, its links checked, looked at in a real Chromium',
  },
  package: { files: ['test/package.test.ts'], about: 'the packed package, as a stranger would use it' },
  bench: {
    files: ['test/bench/smoke.test.ts'],
    about: 'each benchmark at a very small scale',
  },
};

async function main(args) {
  setup();
  const suite = Object.hasOwn(SUITES, args[0] ?? '') ? SUITES[args[0]] : undefined;
  if (suite !== undefined) return vitest([...suite.files, ...args.slice(1)]);
  if (namesFiles(args)) return vitest(args);
  const code = await vitest(args, { WEBCRAWL_LEFT_OUT: Object.values(SUITES).flatMap(patterns).join(',') });
  console.log(leftOut());
  return code;
}

const patterns = ({ files }) => files.map((file) => (file.endsWith('.ts') ? file : `${file}/**`));
const namesFiles = (args) => args.some((arg) => !arg.startsWith('-'));

/** The suites that `npm test` did not run, and how to run them. */
function leftOut() {
  const width = Math.max(...Object.keys(SUITES).map((name) => name.length));
  const lines = Object.entries(SUITES).map(([name, { about }]) => `  npm run test:${name.padEnd(width)}  ${about}`);
  return `Not run, since these take longer (.ci/run runs everything):\n${lines.join('\n')}`;
}

async function vitest(args, env = {}) {
  const entry = join(createRequire(import.meta.url).resolve('vitest/package.json'), '../vitest.mjs');
  const folder = folderInMemory();
  const place = folder && { TMPDIR: folder };
  try {
    return await runNode([entry, 'run', ...args], { cwd: ROOT, env: { ...process.env, ...place, ...env } });
  } finally {
    if (folder) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * A temporary folder in memory, if the system has one with enough room: tests write and sync many small files. Folders of killed runs are
 * removed.
 */
function folderInMemory() {
  if (process.env.TMPDIR !== undefined || process.platform !== 'linux' || !existsSync(MEMORY)) return undefined;
  for (const name of readdirSync(MEMORY)) {
    const pid = Number(/^webcrawl-(\d+)-/.exec(name)?.[1]);
    if (!(pid > 0) || existsSync(`/proc/${pid}`)) continue;
    try {
      rmSync(join(MEMORY, name), { recursive: true, force: true });
    } catch {
      // A killed test of a full disk leaves a mount in it.
    }
  }
  const { bavail, bsize } = statfsSync(MEMORY);
  return bavail * bsize > LEAST_ROOM ? mkdtempSync(join(MEMORY, `webcrawl-${process.pid}-`)) : undefined;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  try {
    process.exitCode = await main(process.argv.slice(2));
  } catch (error) {
    console.error(`webcrawl: ${error.message}`);
    process.exitCode = 1;
  }
}
