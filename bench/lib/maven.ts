import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whether Maven, and a JDK of version 17 or later, are installed. */
export function hasMaven(): boolean {
  const javac = spawnSync('javac', ['-version'], { encoding: 'utf8' });
  const version = Number(/javac (\d+)/.exec(`${javac.stdout}${javac.stderr}`)?.[1] ?? 0);
  return version >= 17 && spawnSync('mvn', ['-version']).status === 0;
}

export interface Jars {
  readonly name: string;
  readonly pom: string;
  /** The folder for them. An existing folder is used as it is. */
  readonly folder: string;
  readonly finish?: (folder: string) => void;
}

/** Fetches the libraries of a pom into a folder, once. The folder gets its name only when it is complete. */
export async function bringJars({ name, pom, folder, finish }: Jars): Promise<string> {
  if (existsSync(folder)) return folder;
  await mkdir(dirname(folder), { recursive: true });
  const made = await mkdtemp(`${folder}-`);
  try {
    run(name, 'mvn', [
      ...['-q', '-B', '-f', pom, 'dependency:copy-dependencies', '-DincludeScope=runtime'],
      `-DoutputDirectory=${made}`,
    ]);
    finish?.(made);
    await rename(made, folder);
  } catch (error) {
    await rm(made, { recursive: true, force: true });
    // Another process may have made it first.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

export function run(name: string, command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} cannot bring ${name}: ${`${stdout}${stderr}`.slice(-1000)}`);
}
