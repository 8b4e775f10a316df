import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { mkdir, mkdtemp, open, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from '../../../bench/lib/free-ports.js';

/** A Slurm on loopback for one test: a controller and nodes, each a `slurmd` in its own process. */
export interface SlurmCluster {
  /** Environment variables for its commands. */
  readonly env: Readonly<Record<string, string>>;
  readonly nodes: readonly string[];
  /** The running workers, children of batch scripts: those with this word among their arguments. */
  workers(word: string): Promise<readonly { readonly pid: number; readonly node: string }[]>;
  /** The nodes with running tasks. */
  busyNodes(): Promise<readonly string[]>;
  /** Kills a node as a power failure does: its `slurmd`, and all processes that it has started. */
  killNode(node: string): Promise<void>;
  /** Waits until the controller has noticed that a node is dead. */
  untilDown(node: string): Promise<void>;
  /** Starts a node again. */
  startNode(node: string): Promise<void>;
  /** Ends all its processes, including jobs, and removes its files. */
  stop(): Promise<void>;
}

/** Whether the needed programs are installed, by Debian's packages slurmctld, slurmd and slurm-client. */
export function hasSlurm(): boolean {
  // Without a configuration most of them do not even print their version.
  return ['slurmctld', 'slurmd', 'sbatch'].every((program) => spawnSync('which', [program]).status === 0);
}

const NODES = ['n1', 'n2', 'n3'];
const START_MS = 120_000;

/** Starts a Slurm at free ports. @throws Error if it does not answer */
export async function startSlurm(): Promise<SlurmCluster> {
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-slurm-'));
  const [controller = 0, ...ports] = await freePorts(1 + NODES.length);
  const conf = join(folder, 'slurm.conf');
  await mkdir(join(folder, 'state'));
  await mkdir(join(folder, 'spool'));
  await writeFile(conf, confOf(folder, controller, ports));
  const env = { SLURM_CONF: conf };
  const children = new Map<string, ChildProcess>();

  async function launch(name: string, command: readonly [string, ...string[]]): Promise<void> {
    const log = await open(join(folder, `${name}.out`), 'a');
    const child = spawn(command[0], command.slice(1), {
      env: { ...process.env, ...env },
      detached: true,
      stdio: ['ignore', log.fd, log.fd],
    });
    child.once('error', () => {});
    children.set(name, child);
    await log.close();
  }

  /** The processes of this cluster, with their command lines and a variable of their environment. */
  async function ours(): Promise<
    { pid: number; words: readonly string[]; node: string | undefined; parent: number }[]
  > {
    const pids = (await readdir('/proc')).map(Number).filter((pid) => pid > 0 && pid !== process.pid);
    const found = await Promise.all(
      pids.map(async (pid) => {
        try {
          const [environ, cmdline, stat] = await Promise.all(
            ['environ', 'cmdline', 'stat'].map((file) => readFile(`/proc/${pid}/${file}`, 'utf8')),
          );
          const variables = environ!.split('\0');
          if (!variables.includes(`SLURM_CONF=${conf}`)) return [];
          const node = variables.find((text) => text.startsWith('SLURMD_NODENAME='))?.slice('SLURMD_NODENAME='.length);
          const parent = Number(stat!.slice(stat!.lastIndexOf(')') + 2).split(' ')[1]);
          return [{ pid, words: cmdline!.split('\0').slice(0, -1), node, parent }];
        } catch {
          // The process has ended in the meantime, or belongs to another user.
          return [];
        }
      }),
    );
    return found.flat();
  }

  function end(pid: number): void {
    try {
      process.kill(pid, 'SIGKILL');
    } catch {
      // The process has ended in the meantime.
    }
  }

  async function killChild(name: string): Promise<void> {
    const child = children.get(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  /** The states of nodes, as far as the controller tells them. */
  function statesOf(...nodes: readonly string[]): string[] {
    const words = ['--noheader', '--Node', `--nodes=${nodes.join(',')}`, '--format=%T'];
    const { stdout } = spawnSync('sinfo', words, { env: { ...process.env, ...env }, encoding: 'utf8' });
    return stdout.split('\n').flatMap((line) => (line.trim() === '' ? [] : [line.trim()]));
  }

  const startNode = (node: string): Promise<void> => launch(node, ['slurmd', '-D', '-N', node]);
  const cluster: SlurmCluster = {
    env,
    nodes: NODES,
    async workers(word) {
      return (await ours()).flatMap(({ pid, words, node }) =>
        node !== undefined && words.includes(word) && !(words[0] ?? '').endsWith('bash') ? [{ pid, node }] : [],
      );
    },
    async busyNodes() {
      return [...new Set((await ours()).flatMap(({ node }) => node ?? []))];
    },
    async killNode(node) {
      // First the processes that would see the others die, and report it.
      await killChild(node);
      const all = await ours();
      const tasks = all.filter((each) => each.node === node);
      const steps = new Set(tasks.map(({ parent }) => parent));
      for (const { pid } of all) if (steps.has(pid)) end(pid);
      for (const { pid } of tasks) end(pid);
    },
    async untilDown(node) {
      while (!statesOf(node)[0]?.startsWith('down')) await wait(200);
    },
    startNode,
    async stop() {
      for (const name of children.keys()) await killChild(name);
      for (let left = await ours(); left.length > 0; left = await ours()) {
        for (const { pid } of left) end(pid);
        await wait(50);
      }
      await rm(folder, { recursive: true, force: true });
    },
  };

  try {
    await launch('controller', ['slurmctld', '-D', '-c']);
    await Promise.all(NODES.map(startNode));
    for (const until = Date.now() + START_MS; ; await wait(200)) {
      const states = statesOf(...NODES);
      if (states.length === NODES.length && states.every((state) => state === 'idle')) return cluster;
      if (Date.now() > until || children.get('controller')?.exitCode !== null)
        throw new Error(`Slurm did not start: ${await readFile(join(folder, 'controller.out'), 'utf8')}`);
    }
  } catch (error) {
    await cluster.stop();
    throw error;
  }
}

/** Several nodes on one machine, without accounts and keys: only local users can reach loopback. */
function confOf(folder: string, controller: number, ports: readonly number[]): string {
  const host = hostname().split('.', 1)[0];
  return `ClusterName=webcrawl-test
SlurmctldHost=${host}(127.0.0.1)
SlurmctldPort=${controller}
AuthType=auth/none
CredType=cred/none
AuthInfo=cred_expire=5
SlurmUser=${process.getuid?.() ?? 0}
SlurmdUser=${process.getuid?.() ?? 0}
StateSaveLocation=${folder}/state
SlurmdSpoolDir=${folder}/spool/%n
SlurmctldPidFile=${folder}/controller.pid
SlurmdPidFile=${folder}/%n.pid
SlurmctldLogFile=${folder}/controller.log
SlurmdLogFile=${folder}/%n.log
ProctrackType=proctrack/pgid
TaskPlugin=task/none
MpiDefault=none
SwitchType=switch/none
SchedulerType=sched/builtin
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
AccountingStorageType=accounting_storage/none
JobAcctGatherType=jobacct_gather/none
JobRequeue=1
RequeueExit=75,137,143
SchedulerParameters=max_batch_requeue=1000,sched_interval=3
ReturnToService=2
SlurmdTimeout=10
SlurmctldTimeout=10
KillWait=5
${NODES.map((node, i) => `NodeName=${node} NodeHostname=${host} NodeAddr=127.0.0.1 Port=${ports[i]} CPUs=2 RealMemory=2048 State=UNKNOWN`).join('\n')}
PartitionName=crawl Nodes=${NODES.join(',')} Default=YES MaxTime=INFINITE State=UP OverSubscribe=FORCE:8
`;
}
