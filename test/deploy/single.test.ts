import { spawn, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createInterface } from 'node:readline';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadSettings } from '../../config/index.js';
import { DEPLOY, hasYaml, readYaml, unknownIn } from '../support/deploy-files.js';
import { ROOT } from '../support/docs/source-files.js';

const FOLDER = join(DEPLOY, 'single');
const UNITS = readdirSync(join(FOLDER, 'systemd'));
const SERVICES = UNITS.filter((name) => name.endsWith('.service'));
const textOf = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const hasAnalyze = spawnSync('systemd-analyze', ['--version']).status === 0;

interface Service {
  readonly command?: readonly string[];
  readonly entrypoint?: readonly string[];
  readonly volumes: readonly string[];
  readonly ports?: readonly string[];
  readonly build: { readonly context: string; readonly dockerfile: string; readonly args: { OPTIONAL: string } };
}

describe('config/deploy/single', () => {
  test.runIf(hasYaml)('compose.yaml names existing files, options of the command and known packages', () => {
    const { services, volumes } = readYaml(textOf('compose.yaml')) as {
      services: Record<string, Service>;
      volumes: object;
    };
    expect(Object.keys(services)).toEqual(['crawl', 'serve', 'backup']);
    const { peerDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      peerDependencies: object;
    };
    for (const { command, volumes: mounts, build, ports } of Object.values(services)) {
      if (command) expect(unknownIn(command)).toEqual([]);
      for (const [from = ''] of mounts.map((mount) => mount.split(':'))) {
        if (from.startsWith('./')) expect(existsSync(join(FOLDER, from)), from).toBe(true);
        else if (!from.startsWith('$')) expect(Object.keys(volumes)).toContain(from);
      }
      expect(existsSync(join(FOLDER, build.context, build.dockerfile))).toBe(true);
      for (const name of build.args.OPTIONAL.split(' ')) expect(Object.keys(peerDependencies)).toContain(name);
      // Only this machine can reach the pages.
      for (const port of ports ?? []) expect(port).toMatch(/^127\.0\.0\.1:/);
    }
  });

  test('settings.json is valid', () => {
    expect(loadSettings({ file: join(FOLDER, 'settings.json') }).settings.http.agentName).toBe('examplebot');
  });

  test.each(['hourly.sh', ...SERVICES.map((name) => `systemd/${name}`)])('%s uses options of the command', (name) => {
    const lines = [...textOf(name).matchAll(/^(?:ExecStart=\S*\/|\s*run )webcrawl (.*?)(?: \|\| return)?$/gm)];
    expect(lines.length).toBeGreaterThan(0);
    for (const [, line = ''] of lines) expect(unknownIn(line.split(' '))).toEqual([]);
  });

  test.runIf(hasAnalyze)('systemd accepts the units, and finds the services well isolated', () => {
    const folder = mkdtempSync(join(tmpdir(), 'webcrawl-units-'));
    try {
      for (const name of UNITS) {
        // The program need not be installed here.
        const text = textOf(`systemd/${name}`).replaceAll(/^ExecStart=\S+/gm, `ExecStart=${process.execPath}`);
        writeFileSync(join(folder, name), text);
      }
      const paths = UNITS.map((name) => join(folder, name));
      const verified = spawnSync('systemd-analyze', ['verify', '--man=no', ...paths], { encoding: 'utf8' });
      expect([verified.status, verified.stdout + verified.stderr]).toEqual([0, '']);
      for (const name of SERVICES) {
        const args = ['security', '--offline=true', '--threshold=30', join(folder, name)];
        const { status, stdout } = spawnSync('systemd-analyze', args, { encoding: 'utf8' });
        expect(status, stdout).toBe(0);
      }
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});

describe('hourly.sh', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'webcrawl-hourly-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** Runs it with a replacement for the command. */
  function start(script: string) {
    writeFileSync(join(folder, 'webcrawl'), `#!/bin/sh\n${script}\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${folder}:${process.env['PATH']}`, WEBCRAWL_EVERY: '0' };
    const child = spawn('/bin/sh', [join(FOLDER, 'hourly.sh')], { env });
    const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
    const next = async (): Promise<unknown> => (await lines.next()).value;
    const ended = new Promise<number | null>((resolve) => child.on('close', (code) => resolve(code)));
    return { child, next, ended };
  }

  test('crawls and indexes repeatedly, also after a temporary failure', async () => {
    const { child, next, ended } = start('echo "$1"; [ "$1" = crawl ] && exit 69; exit 0');
    expect([await next(), await next()]).toEqual(['crawl', 'crawl']);
    child.kill();
    expect(await ended).toBe(0);
    const good = start('echo "$1"');
    expect([await good.next(), await good.next(), await good.next()]).toEqual(['crawl', 'index', 'crawl']);
    good.child.kill();
    expect(await good.ended).toBe(0);
  });

  test('ends with a status that needs a person', async () => {
    expect(await start('exit 78').ended).toBe(78);
  });

  test('passes a signal on to the run, and waits for its end', async () => {
    const { child, next, ended } = start(
      'trap "echo stopped; exit 130" TERM; echo begun; while :; do sleep 0.05; done',
    );
    expect(await next()).toBe('begun');
    child.kill('SIGTERM');
    expect(await next()).toBe('stopped');
    expect(await ended).toBe(0);
  });
});
