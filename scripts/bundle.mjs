// Bundles the command: each file that Node starts, or a thread, with the modules that it needs, in dist/bin. Packages stay outside, as they are
// for the library. What a verb may do without is in files of its own.
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

/** @param dist with all modules compiled one by one; that of the command is replaced */
export async function bundle(dist) {
  const nameOf = (file) => (file.includes('/pdf/') ? 'pdf/' : '') + basename(file, '.js');
  const input = Object.fromEntries(['bin/webcrawl.js', ...STARTED].map((file) => [nameOf(file), join(dist, file)]));
  // All other modules only define, packages too: so what nobody uses is left out.
  const acting = new Set([...Object.values(input), join(dist, 'bin/main.js')]);
  const build = await rolldown({
    input,
    platform: 'node',
    external: (id) => !id.startsWith('.') && !isAbsolute(id),
    treeshake: { moduleSideEffects: (id) => acting.has(id) },
  });
  const [made, command] = [join(dist, '.bundle'), join(dist, 'bin')];
  await build.write({ dir: made, format: 'esm', chunkFileNames: '[name].js' });
  await build.close();
  // What looks into single modules, such as a profile, starts this one.
  renameSync(command, join(dist, 'unbundled'));
  renameSync(made, command);
  // They are read from the folder of the module that reads them.
  for (const name of readdirSync(join(dist, 'config'))) {
    if (/\.(txt|json)$/.test(name)) cpSync(join(dist, 'config', name), join(command, name));
  }
}
