import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import ts from 'typescript';
import { ROOT } from './source-files.js';

/** The files that a document prints, by their names: each begins with its name as a comment. */
export async function printedFiles(document: string): Promise<ReadonlyMap<string, string>> {
  const page = await readFile(join(ROOT, document), 'utf8');
  return new Map(
    [...page.matchAll(/^```\w+\n((?:\/\/|#) ([\w.-]+)\n.*?)^```/gms)].map(([, text = '', name = '']) => [name, text]),
  );
}

/** Writes the files to a folder, in which `webcrawl` and the given packages are found as if they were installed. */
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

/** What the compiler finds wrong with these modules of a folder. */
export function typeFaults(folder: string, names: readonly string[], strict = false): string[] {
  const program = ts.createProgram(
    names.map((name) => join(folder, name)),
    {
      target: ts.ScriptTarget.ES2022,
      module: ts.ModuleKind.NodeNext,
      moduleResolution: ts.ModuleResolutionKind.NodeNext,
      lib: ['lib.es2023.d.ts', 'lib.esnext.disposable.d.ts'],
      types: ['node'],
      typeRoots: [join(ROOT, 'node_modules/@types')],
      allowJs: true,
      checkJs: true,
      noEmit: true,
      skipLibCheck: true,
      ...(strict && { strict, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noUnusedLocals: true }),
    },
  );
  return ts
    .getPreEmitDiagnostics(program)
    .map(({ file, messageText }) => `${file?.fileName}: ${ts.flattenDiagnosticMessageText(messageText, '\n')}`);
}
