import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from './source-files.js';

/** The modules that docs/PLUGINS.md prints, by their names: each begins with its name as a comment. */
export async function pluginExamples(): Promise<ReadonlyMap<string, string>> {
  const page = await readFile(join(ROOT, 'docs/PLUGINS.md'), 'utf8');
  return new Map(
    [...page.matchAll(/```js\n(\/\/ ([\w.-]+\.mjs)\n.*?)```/gs)].map(([, code = '', name = '']) => [name, code]),
  );
}

/** Writes the modules to a folder, in which `webcrawl` and the given packages are found as if they were installed. */
export async function writeExamples(folder: string, packages: readonly string[] = []): Promise<readonly string[]> {
  const examples = await pluginExamples();
  for (const [name, code] of examples) await writeFile(join(folder, name), code);
  await mkdir(join(folder, 'node_modules'), { recursive: true });
  await symlink(ROOT, join(folder, 'node_modules/webcrawl'), 'junction');
  for (const name of packages) {
    const link = join(folder, 'node_modules', name);
    await mkdir(dirname(link), { recursive: true });
    await symlink(join(ROOT, 'node_modules', name), link, 'junction');
  }
  return [...examples.keys()];
}
