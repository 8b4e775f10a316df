import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, open, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from '../../../bench/lib/free-ports.js';
import { bringJars, run } from '../../../bench/lib/maven.js';
import { ROOT } from '../docs/source-files.js';
import { JAVA, writeYarnConfig } from './yarn-config.js';

/** A Hadoop YARN on loopback for one test, with one node; its file system is that of the machine. It ends with this process. */
export interface YarnCluster {
  /** For files of the test. It is removed at the end. */
  readonly folder: string;
  /** Environment variables for its commands: `hadoop` and `mapred` are in the path, and `webcrawl`, which tasks use too. */
  readonly env: Readonly<Record<string, string>>;
  /** The processes of tasks, by words of their command lines. */
  find(words: readonly string[]): Promise<readonly number[]>;
  /** The standard error of the tasks of all jobs. */
  taskErrors(): Promise<string>;
  /** Ends all its processes, including tasks, and removes its files. */
  stop(): Promise<void>;
}

const VERSION = '3.4.2';
const START_MS = 300_000;

/** Starts YARN at free ports. @throws Error if Maven cannot fetch it, or it does not answer */
export async function startYarn(): Promise<YarnCluster> {
  const jars = await bringJars({
    name: 'Hadoop YARN',
    pom: join(ROOT, 'test/support/yarn/pom.xml'),
    folder: join(ROOT, '.cache/yarn', VERSION),
    finish: (made) => run('Hadoop YARN', 'javac', ['-d', made, join(ROOT, 'bench/hbase/RunUntilInputEnds.java')]),
  });
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-yarn-'));
  const ports = await freePorts(9);
  const [resources = 0, scheduler = 0, tracker = 0, admin = 0, web = 0, ...ofNode] = ports;
  const [node = 0, localizer = 0, nodeWeb = 0, shuffle = 0] = ofNode;
  const all = { resources, scheduler, tracker, admin, web, node, localizer, nodeWeb, shuffle };
  const classPath = `${join(folder, 'conf')}:${jars}:${join(jars, '*')}`;
  const bin = join(folder, 'bin');
  await writeCommands(bin, classPath);
  const path = `${bin}:${process.env['PATH']}`;
  const env = { PATH: path };
  await writeYarnConfig(folder, jars, path, all);
  const children = new Map<string, ChildProcess>();

  async function launch(name: string, type: string): Promise<void> {
    const log = await open(join(folder, `${name}.out`), 'a');
    const args = [...JAVA, '-Xmx256m', '-cp', classPath, 'RunUntilInputEnds', type];
    const child = spawn('java', args, {
      env: { ...process.env, ...env },
      cwd: folder,
      detached: true,
      stdio: ['pipe', log.fd, log.fd],
    });
    child.once('error', () => {});
    child.stdin!.once('error', () => {});
    children.set(name, child);
    await log.close();
  }

  /** The processes of tasks and their ancestors: the folder is in their environment or command line. */
  async function ours(): Promise<{ pid: number; words: readonly string[] }[]> {
    const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
    const found = await Promise.all(
      pids.map(async (pid) => {
        try {
          const files = ['environ', 'cmdline'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8'));
          const [environ = '', words = ''] = await Promise.all(files);
          return `${environ}${words}`.includes(folder) ? [{ pid, words: words.split('\0').slice(0, -1) }] : [];
        } catch {
          // The process has ended in the meantime, or belongs to another user.
          return [];
        }
      }),
    );
    return found.flat();
  }

  async function stop(): Promise<void> {
    for (const child of children.values()) child.kill('SIGKILL');
    for (let left = await ours(); left.length > 0; left = await ours()) {
      for (const { pid } of left) end(pid);
      await wait(50);
    }
    await rm(folder, { recursive: true, force: true });
  }

  async function activeNodes(): Promise<number> {
    try {
      const answer = await fetch(`http://127.0.0.1:${web}/ws/v1/cluster/metrics`);
      const { clusterMetrics } = (await answer.json()) as { clusterMetrics: { activeNodes: number } };
      return clusterMetrics.activeNodes;
    } catch {
      return 0;
    }
  }

  try {
    await launch('resources', 'org.apache.hadoop.yarn.server.resourcemanager.ResourceManager');
    await launch('node', 'org.apache.hadoop.yarn.server.nodemanager.NodeManager');
    for (const until = Date.now() + START_MS; (await activeNodes()) === 0; await wait(200)) {
      const ended = [...children].find(([, { exitCode }]) => exitCode !== null)?.[0];
      if (ended === undefined && Date.now() < until) continue;
      const texts = await Promise.all(
        [...children.keys()].map((name) => readFile(join(folder, `${name}.out`), 'utf8')),
      );
      throw new Error(`YARN did not start: ${texts.map((text) => text.slice(-2000)).join('\n')}`);
    }
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    folder,
    env,
    async find(words) {
      const found = await ours();
      return found.filter((each) => words.every((word) => each.words.includes(word))).map(({ pid }) => pid);
    },
    async taskErrors() {
      const names = await readdir(join(folder, 'containers'), { recursive: true });
      const texts = names
        .filter((name) => name.endsWith('stderr'))
        .map((name) => readFile(join(folder, 'containers', name), 'utf8'));
      return (await Promise.all(texts)).join('\n');
    },
    stop,
  };
}

function end(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL');
  } catch {
    // The process has ended in the meantime.
  }
}

/** Writes the needed commands of an installed Hadoop, and that of webcrawl. */
async function writeCommands(bin: string, classPath: string): Promise<void> {
  const java = (type: string): string => `exec java ${JAVA.join(' ')} -cp '${classPath}' ${type} "$@"`;
  const commands = {
    hadoop: `[ "$1" = fs ] && shift && ${java('org.apache.hadoop.fs.FsShell')}`,
    mapred: `[ "$1" = streaming ] && shift && ${java('org.apache.hadoop.streaming.HadoopStreaming')}`,
    webcrawl: `exec '${process.execPath}' '${join(ROOT, 'dist/bin/webcrawl.js')}' "$@"`,
  };
  await mkdir(bin);
  for (const [name, line] of Object.entries(commands)) {
    await writeFile(join(bin, name), `#!/bin/bash\n${line}\n`);
    await chmod(join(bin, name), 0o755);
  }
}
