import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, request } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { requireCommand } from '../support/command-process.js';
import { printedFiles } from '../support/docs/doc-examples.js';
import { isAsShown, stable, transcripts, type Step, type Transcript } from '../support/docs/doc-transcript.js';
import { ROOT } from '../support/docs/source-files.js';

const PAGE = readFileSync(join(ROOT, 'docs/GUIDE.md'), 'utf8');
/** The folder and the port that the page shows. */
const SHOWN_FOLDER = '/home/ada/garden';
const SHOWN_PORT = '8080';
/** Between the outputs of two commands, before the exit status. */
const SEPARATOR = '\u001e';

/** Milliseconds for which a crawl that is held may go on with what it does beside. */
const SETTLED_MS = 60_000;

/** What a command did. */
interface Done {
  readonly output: string;
  readonly code: number;
}

let base: string;
let folder: string;
let site: ChildProcessWithoutNullStreams;
let gate: Gate;

beforeAll(async () => {
  requireCommand();
  base = await realpath(await mkdtemp(join(tmpdir(), 'webcrawl-guide-')));
  folder = join(base, 'garden');
  await mkdir(join(base, 'bin'));
  await mkdir(folder);
  // What `npx webcrawl` runs, without the second that npx takes. `npm install` is what test/package.test.ts is for.
  await program('npx', `shift; exec '${process.execPath}' '${join(ROOT, 'dist/bin/webcrawl.js')}' "$@"`);
  await program('npm', 'echo installed');
  const files = await printedFiles('docs/GUIDE.md');
  expect([...files.keys()]).toEqual(['site.mjs', 'seeds.txt']);
  await writeFile(join(folder, 'site.mjs'), files.get('site.mjs')!);
  site = spawn(process.execPath, ['site.mjs'], { cwd: folder, env: { ...process.env, PORT: '0' } });
  gate = await openGate(await portOf(site));
  await writeFile(join(folder, 'seeds.txt'), forTest(files.get('seeds.txt')!));
});

afterAll(async () => {
  gate.close();
  site.kill('SIGKILL');
  await rm(base, { recursive: true, force: true });
});

async function program(name: string, script: string): Promise<void> {
  await writeFile(join(base, 'bin', name), `#!/bin/sh\n${script}\n`);
  await chmod(join(base, 'bin', name), 0o755);
}

/** The port that the site says it serves. */
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

/** Stands before the site, and can hold a request back. */
interface Gate {
  readonly port: string;
  /** Holds the next request for a path; ends when there is one, with what lets it through. */
  hold(path: string): Promise<() => void>;
  close(): void;
}

async function openGate(sitePort: number): Promise<Gate> {
  let held: { path: string; onAsked: (release: () => void) => void } | undefined;
  const server = createServer((incoming, outgoing) => {
    const { method, url: path, headers } = incoming;
    const forward = (): void => {
      const onward = request({ host: 'localhost', port: sitePort, method, path, headers }, (answer) => {
        outgoing.writeHead(answer.statusCode ?? 500, answer.headers);
        answer.pipe(outgoing);
      });
      onward.on('error', () => outgoing.destroy()).end();
    };
    if (path !== held?.path) return forward();
    held?.onAsked(forward);
    held = undefined;
  });
  server.listen(0, 'localhost');
  await once(server, 'listening');
  return {
    port: String((server.address() as AddressInfo).port),
    hold: (path) => new Promise((resolve) => (held = { path, onAsked: resolve })),
    close() {
      server.close();
      server.closeAllConnections();
    },
  };
}

const forTest = (text: string): string => text.replaceAll(SHOWN_PORT, gate.port);
const forPage = (text: string): string => text.replaceAll(folder, SHOWN_FOLDER).replaceAll(gate.port, SHOWN_PORT);

/** Runs the commands one after another in one shell; what they print is kept as a terminal would show it. */
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
      // The reader waits between requests; and a busy machine may be slow.
      WEBCRAWL_FETCHER_SERVERDELAY: '0',
      WEBCRAWL_HTTP_TIMEOUT: '600000',
      WEBCRAWL_HTTP_TIMELIMIT: '600000',
    },
  });
  let text = '';
  shell.stdout.on('data', (chunk: Buffer) => (text += chunk.toString()));
  await once(shell, 'close');
  const parts = text.replaceAll('\r\n', '\n').split(SEPARATOR);
  return steps.map((_, i) => ({ output: forPage(parts[2 * i] ?? ''), code: Number(parts[2 * i + 1]) }));
}

/** Numbers of a crawl that is under way are those of the moment. */
const ofTheMoment = (text: string): string => text.replace(/\b\d+(\.\d+)?\b/g, '<n>');

/** Without what differs from run to run. */
const steadyIn = ({ meanwhile }: Transcript, text: string): string =>
  meanwhile ? ofTheMoment(stable(text)) : stable(text);

/**
 * Runs what a reader asks beside a crawl whose request is held, until it is as the page shows: for a moment the crawl may be making its
 * next batch yet. What it was in the end is compared.
 */
async function runBeside(transcript: Transcript): Promise<Done[]> {
  const isShown = (done: readonly Done[]): boolean =>
    transcript.steps.every(({ output }, i) =>
      isAsShown(steadyIn(transcript, output), steadyIn(transcript, done[i]!.output)),
    );
  const until = performance.now() + SETTLED_MS;
  let done = await run(transcript.steps);
  while (!isShown(done) && performance.now() < until) done = await run(transcript.steps);
  return done;
}

function compare(transcript: Transcript, done: readonly Done[]): void {
  const { steps, line } = transcript;
  const steady = (text: string): string => steadyIn(transcript, text);
  for (const [i, { command, output }] of steps.entries()) {
    const actual = done[i]!;
    if (!isAsShown(steady(output), steady(actual.output))) {
      // Shows the difference line by line.
      expect(steady(actual.output), `docs/GUIDE.md, line ${line}: ${command}`).toBe(steady(output));
    }
    // What fails is followed by a question for the exit status, so the page shows it.
    if (steps[i + 1]?.command !== 'echo $?') expect([command, actual.code]).toEqual([command, 0]);
  }
}

test.skipIf(process.platform === 'win32')('every command of the guide does what the page shows', async () => {
  const blocks = transcripts(PAGE);
  expect(blocks.length).toBeGreaterThan(15);
  for (let i = 0; i < blocks.length; i++) {
    const block = blocks[i]!;
    const beside: Transcript[] = [];
    while (blocks[i + 1]?.meanwhile) beside.push(blocks[++i]!);
    if (beside.length === 0) {
      compare(block, await run(block.steps));
      continue;
    }
    const asked = gate.hold('/events/summer');
    const running = run(block.steps);
    const release = await asked;
    for (const other of beside) compare(other, await runBeside(other));
    release();
    compare(block, await running);
  }
});
