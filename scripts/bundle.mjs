// Bundles the command and the library: each file that Node starts, a thread starts or a program imports, with its modules, into dist/bin.
// Packages stay outside. Modules that are loaded on demand get files of their own. It also bundles the declarations of the public API, and
// the library with its packages for tests that start many processes.
import { cpSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, isAbsolute, join } from 'node:path';
import { rolldown } from 'rolldown';
import { dts } from 'rolldown-plugin-dts';

/** Modules that are started by name, from the folder of the module that starts them. */
const STARTED = [
  'packages/jobs/parsing/parse-worker.js',
  'packages/webcrawl/plugins/page-plugins.js',
  'packages/parse/document/document-child.js',
  'packages/parse/document/document-watch.js',
  'packages/index/sqlite/reader/reader-worker.js',
  'packages/index/writing/writer-worker.js',
];

/** The modules that test processes import, by their names in dist/tests. */
const OF_TESTS = {
  webcrawl: 'packages/webcrawl/internal.js',
  export: 'packages/export/index.js',
  webtable: 'webtable/index.js',
};
/** Packages that are not only JavaScript, or that few tests need. */
const NOT_FOR_TESTS = /^(node:|classic-level|level$|libsql|pdfjs-dist|@node-rs|@aws-sdk|@opensearch-project)/;

/** The exports of `package.json`: the name of the file in dist/bin, and the module without its extension. */
const { exports } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const ENTRIES = Object.values(exports)
  .filter(({ types }) => types !== undefined)
  .map(({ types, default: file }) => [basename(file, '.js'), types.slice('./dist/'.length, -'.d.ts'.length)]);

/** The parts of tables that the command needs before a verb runs. Bundled with the stores they would load LevelDB. */
const OF_START = /\/webtable\/(schema|leases\/shard|tables\/moments|changes\/change-kinds)\.js$/;

const isOutside = (id) => !id.startsWith('.') && !isAbsolute(id);
const nameOf = (file) => (file.includes('/document/') ? 'document/' : '') + basename(file, '.js');

/** @param dist with all modules compiled one by one; the module of the command is replaced */
export async function bundle(dist) {
  const files = [
    ...ENTRIES.map(([name, module]) => [name, `${module}.js`]),
    ...['bin/webcrawl.js', ...STARTED].map((file) => [nameOf(file), file]),
  ];
  const input = Object.fromEntries(files.map(([name, file]) => [name, join(dist, file)]));
  // All other modules, and packages, have no side effects, so unused ones are dropped.
  const acting = new Set([...Object.values(input), join(dist, 'bin/main.js')]);
  const build = await rolldown({
    input,
    platform: 'node',
    external: isOutside,
    treeshake: { moduleSideEffects: (id) => acting.has(id) },
  });
  const [made, command] = [join(dist, '.bundle'), join(dist, 'bin')];
  await build.write({
    dir: made,
    format: 'esm',
    // Programs that read doc comments read those of the types.
    comments: { legal: true, annotation: true, jsdoc: false },
    chunkFileNames: '[name].js',
    codeSplitting: { groups: [{ name: 'start', test: OF_START }] },
  });
  await build.close();
  // Tools that look into single modules, such as a profiler, start this one.
  renameSync(command, join(dist, 'unbundled'));
  renameSync(made, command);
  copyConfig(dist, command);
}

/**
 * Bundles the library with its packages into dist/tests: a process loads it in a third of the time of single modules.
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

/**
 * Bundles the declarations of the public API: a file for each export of `package.json`, and `types.d.ts` with what several of them share. No
 * other declarations stay.
 * @param dist with the declarations of all modules; they are removed
 */
export async function bundleTypes(dist) {
  const input = Object.fromEntries(ENTRIES.map(([, module]) => [module, join(dist, `${module}.d.ts`)]));
  const plugins = [dts({ dtsInput: true, tsconfig: false })];
  const build = await rolldown({ input, external: isOutside, plugins, checks: { pluginTimings: false } });
  const names = { entryFileNames: '[name].d.ts', chunkFileNames: '[name].d.ts' };
  const shared = { groups: [{ name: 'types', minShareCount: 2 }] };
  const { output } = await build.generate({ ...names, codeSplitting: shared });
  await build.close();
  for (const name of readdirSync(dist, { recursive: true })) if (name.endsWith('.d.ts')) rmSync(join(dist, name));
  for (const { fileName, code } of output) writeFileSync(join(dist, fileName), withCounterComments(code));
}

/** Makes the meaning of each counter its comment, which editors show. */
function withCounterComments(types) {
  return types.replace(/^declare const COUNTERS: \{$.*?^\};$/ms, (counters) =>
    counters.replace(
      /^( *)readonly .*: (['"])(.*)\2;$/gm,
      (line, indent, _, text) => `${indent}/** ${text}. */\n${line}`,
    ),
  );
}

/** Settings files are read from the folder of the module that reads them. */
function copyConfig(dist, folder) {
  for (const name of readdirSync(join(dist, 'config'))) {
    if (/\.(txt|json)$/.test(name)) cpSync(join(dist, 'config', name), join(folder, name));
  }
}
