import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { expect } from 'vitest';
import { requireCommand } from '../command-process.js';
import { printedFiles } from './doc-examples.js';
import { isAsShown, stable, type Step, type Transcript } from './doc-transcript.js';
import { ROOT } from './source-files.js';

/** The port that pages show. */
const SHOWN_PORT = '8080';
/** The folder that pages show. */
const SHOWN_FOLDER = '/home/ada/garden';
/** Separates the outputs of commands, before the exit status. */
const SEPARATOR = '\u001e';
const SETTLED_MS = 60_000;

/** The result of a command. */
export interface Done {
  readonly output: string;
  readonly code: number;
}

/** A page whose site is running, and a folder for its commands. */
export interface ShownSite {
  readonly run: (steps: readonly Step[]) => Promise<Done[]>;
  /**
   * Runs a block while another one is running, again until its output is as the page shows, or for a minute: the running command may have
   * no next batch yet. Returns the last output, to compare.
   */
  readonly runBeside: (transcript: Transcript) => Promise<Done[]>;
  /** Fails if a command had another result than the page shows. */
  readonly compare: (transcript: Transcript, done: readonly Done[]) => void;
  readonly close: () => Promise<void>;
}

/** Options for trying a page. */
export interface ShownSiteOptions {
  /** The page, such as `docs/GUIDE.md`. */
  readonly document: string;
  /** The files in the page; the first is the site. */
  readonly files: readonly string[];
  /** Starts a program in front of the site, by its port; returns the port for the commands. */
  readonly before: (sitePort: number) => Promise<string>;
}

/** Starts the site in a page, and makes a folder with the other files of the page. */
export async function openShownSite({ document, files, before }: ShownSiteOptions): Promise<ShownSite> {
  requireCommand();
  const base = await realpath(await mkdtemp(join(tmpdir(), 'webcrawl-shown-')));
  const folder = join(base, 'garden');
  await mkdir(join(base, 'bin'));
  await mkdir(folder);
  const program = async (name: string, script: string): Promise<void> => {
    await writeFile(join(base, 'bin', name), `#!/bin/sh\n${script}\n`);
    await chmod(join(base, 'bin', name), 0o755);
  };
  // Runs what `npx webcrawl` runs, without the second that npx takes. `npm install` is tested by test/package.test.ts.
  await program('npx', `shift; exec '${process.execPath}' '${join(ROOT, 'dist/bin/webcrawl.js')}' "$@"`);
  await program('npm', 'echo installed');
  const printed = await printedFiles(document);
  expect([...printed.keys()]).toEqual(files);
  const [siteFile = ''] = files;
  await writeFile(join(folder, siteFile), printed.get(siteFile)!);
  const site = spawn(process.execPath, [siteFile], { cwd: folder, env: { ...process.env, PORT: '0' } });
  const port = await before(await portOf(site));
  const forTest = (text: string): string => text.replaceAll(SHOWN_PORT, port);
  const forPage = (text: string): string => text.replaceAll(folder, SHOWN_FOLDER).replaceAll(port, SHOWN_PORT);
  for (const name of files.slice(1)) await writeFile(join(folder, name), forTest(printed.get(name)!));

  async function run(steps: readonly Step[]): Promise<Done[]> {
    const script = steps.map(
      ({ command }) => `${forTest(command)}\nstatus=$?; printf '${SEPARATOR}%s${SEPARATOR}' $status; (exit $status)\n`,
    );
    const { WEBCRAWL_TABLE: _, ...env } = process.env;
    const shell = spawn('sh', ['-c', `exec 2>&1\n${script.join('')}`], {
      cwd: folder,
      env: {
        ...env,
        PATH: `${join(base, 'bin')}${delimiter}${env.PATH ?? ''}`,
        // A reader waits between requests; a test does not, and a busy machine may be slow.
        WEBCRAWL_FETCHER_SERVERDELAY: '0',
        WEBCRAWL_HTTP_TIMEOUT: '600000',
        WEBCRAWL_HTTP_TIMELIMITMS: '600000',
      },
    });
    let text = '';
    shell.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
    await once(shell, 'close');
    const parts = text.replaceAll('\r\n', '\n').split(SEPARATOR);
    return steps.map((_, i) => ({ output: forPage(parts[2 * i] ?? ''), code: Number(parts[2 * i + 1]) }));
  }

  return {
    run,
    async runBeside(transcript) {
      const isShown = (done: readonly Done[]): boolean =>
        transcript.steps.every(({ output }, i) =>
          isAsShown(steadyIn(transcript, output), steadyIn(transcript, done[i]!.output)),
        );
      const until = performance.now() + SETTLED_MS;
      let done = await run(transcript.steps);
      while (!isShown(done) && performance.now() < until) done = await run(transcript.steps);
      return done;
    },
    compare(transcript, done) {
      const { steps, line } = transcript;
      const steady = (text: string): string => steadyIn(transcript, text);
      for (const [i, { command, output }] of steps.entries()) {
        const actual = done[i]!;
        if (!isAsShown(steady(output), steady(actual.output))) {
          // Shows the difference line by line.
          expect(steady(actual.output), `${document}, line ${line}: ${command}`).toBe(steady(output));
        }
        // A failure is followed by a command that prints the exit status, so the page shows it.
        if (steps[i + 1]?.command !== 'echo $?') expect([command, actual.code]).toEqual([command, 0]);
      }
    },
    async close() {
      site.kill('SIGKILL');
      await rm(base, { recursive: true, force: true });
    },
  };
}

/** The port that the site prints. */
function portOf({ stdout }: ChildProcessWithoutNullStreams): Promise<number> {
  let log = '';
  return new Promise((resolve) => {
    stdout.on('data', (chunk: Buffer) => {
      log += chunk.toString();
      const port = /^port (\d+)$/m.exec(log)?.[1];
      if (port !== undefined) resolve(Number(port));
    });
  });
}

function steadyIn({ meanwhile }: Transcript, text: string): string {
  return meanwhile ? ofTheMoment(stable(text)) : stable(text);
}

/** Replaces the numbers of a running crawl, which change all the time. */
const ofTheMoment = (text: string): string => text.replace(/\b\d+(\.\d+)?\b/g, '<n>');
