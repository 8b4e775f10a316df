// Bundles the command: each file that Node starts, or a thread, with the modules that it needs, in dist/bin. Packages stay outside, as they are
// for the library. What a verb may do without is in files of its own. Bundles the library too, for tests that start many processes.
import { cpSync, readdirSync, renameSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { rolldown } from 'rolldown';

/** What is started by its name, from the folder in which the module that starts it is. */
const STARTED = [
  'packages/jobs/parsing/parse-worker.js',
  'packages/webcrawl/page-plugins.js',
  'packages/parse/pdf/pdf-child.js',
  'packages/parse/pdf/pdf-watch.js',
  'packages/index/sqlite/reader/reader-worker.js',
  'packages/index/writing/writer-worker.js',
];

/** What the processes of tests import, by its name in dist/tests. */
const OF_TESTS = {
  webcrawl: 'packages/webcrawl/index.js',
  export: 'packages/export/index.js',
  webtable: 'webtable/index.js',
};
/** Packages that are not JavaScript alone, or that few need. */
const NOT_FOR_TESTS = /^(node:|classic-level|level$|libsql|unpdf|@node-rs|@aws-sdk|@opensearch-project)/;

const isOutside = (id) => !id.startsWith('.') && !isAbsolute(id);
const nameOf = (file) => (file.includes('/pdf/') ? 'pdf/' : '') + basename(file, '.js');

/** @param dist with all modules compiled one by one; that of the command is replaced */
export async function bundle(dist) {
  const input = Object.fromEntries(['bin/webcrawl.js', ...STARTED].map((file) => [nameOf(file), join(dist, file)]));
  // All other modules only define, packages too: so what nobody uses is left out.
  const acting = new Set([...Object.values(input), join(dist, 'bin/main.js')]);
  const build = await rolldown({
    input,
    platform: 'node',
    external: isOutside,
    treeshake: { moduleSideEffects: (id) => acting.has(id) },
  });
  const [made, command] = [join(dist, '.bundle'), join(dist, 'bin')];
  await build.write({ dir: made, format: 'esm', chunkFileNames: '[name].js' });
  await build.close();
  // What looks into single modules, such as a profile, starts this one.
  renameSync(command, join(dist, 'unbundled'));
  renameSync(made, command);
  copyConfig(dist, command);
}

/**
 * Bundles the library with its packages into dist/tests: a process that loads it takes a third of the time that all its modules take.
 * @param dist with all modules compiled one by one
 */
export async function bundleForTests(dist) {
  const started = STARTED.map((file) => [nameOf(file), file]);
  const input = Object.fromEntries(
    [...Object.entries(OF_TESTS), ...started].map(([name, file]) => [name, join(dist, file)]),
  );
  const build = await rolldown({ input, platform: 'node', external: NOT_FOR_TESTS });
  const made = join(dist, 'tests');
  await build.write({ dir: made, format: 'esm', chunkFileNames: 'chunk-[name].js' });
  await build.close();
  copyConfig(dist, made);
}

/** The files of settings are read from the folder of the module that reads them. */
function copyConfig(dist, folder) {
  for (const name of readdirSync(join(dist, 'config'))) {
    if (/\.(txt|json)$/.test(name)) cpSync(join(dist, 'config', name), join(folder, name));
  }
}
