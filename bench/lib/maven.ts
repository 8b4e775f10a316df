import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';

/** Whether Maven can bring programs of Java here, and a JDK of version 17 or later run them. */
export function hasMaven(): boolean {
  const javac = spawnSync('javac', ['-version'], { encoding: 'utf8' });
  const version = Number(/javac (\d+)/.exec(`${javac.stdout}${javac.stderr}`)?.[1] ?? 0);
  return version >= 17 && spawnSync('mvn', ['-version']).status === 0;
}

/** What Maven is to bring. */
export interface Jars {
  /** Of what, for errors. */
  readonly name: string;
  readonly pom: string;
  /** The folder for them. What is there is taken as it is. */
  readonly folder: string;
  /** Adds to the folder before anybody sees it. */
  readonly finish?: (folder: string) => void;
}

/**
 * The libraries that a pom asks for, in a folder that is made once, and at once, so that half of them is never taken for all.
 * @returns the folder
 * @throws Error when Maven cannot bring them
 */
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
    // Another process may have been faster.
    if (!existsSync(folder)) throw error;
  }
  return folder;
}

/** Runs a program of Java's. @throws Error when it fails */
export function run(name: string, command: string, args: readonly string[]): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`${command} cannot bring ${name}: ${`${stdout}${stderr}`.slice(-1000)}`);
}
