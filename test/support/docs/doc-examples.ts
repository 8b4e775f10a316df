import { spawnSync } from 'node:child_process';
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { ROOT } from './source-files.js';

/** The files in a document by name: the first line of each is a comment with its name. */
export async function printedFiles(document: string): Promise<ReadonlyMap<string, string>> {
  const page = await readFile(join(ROOT, document), 'utf8');
  return new Map(
    [...page.matchAll(/^```\w+\n((?:\/\/|#) ([\w.-]+)\n.*?)^```/gms)].map(([, text = '', name = '']) => [name, text]),
  );
}

/** Writes the files to a folder in which `webcrawl` and the given packages can be imported. */
export async function writeExamples(
  folder: string,
  document: string,
  packages: readonly string[] = [],
): Promise<readonly string[]> {
  const examples = await printedFiles(document);
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

const FLAGS =
  '--target es2022 --module nodenext --moduleResolution nodenext --lib es2023,esnext.disposable --types node --allowJs --checkJs --noEmit --skipLibCheck --ignoreConfig';
const STRICT = '--strict --noUncheckedIndexedAccess --exactOptionalPropertyTypes --noUnusedLocals';

/** The errors of the compiler for these modules of a folder. */
export function typeFaults(folder: string, names: readonly string[], strict = false): string[] {
  const compiler = join(ROOT, 'node_modules/typescript-native/bin/tsc');
  const flags = `${FLAGS} --typeRoots ${join(ROOT, 'node_modules/@types')} ${strict ? STRICT : '--strict false'}`;
  const args = [compiler, ...flags.split(' '), ...names.map((name) => join(folder, name))];
  const { stdout, error } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
  if (error) throw error;
  return stdout.split('\n').filter((line) => line !== '');
}
