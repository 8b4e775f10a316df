import { spawn, type ChildProcess } from 'node:child_process';
import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, open, readFile, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { freePorts } from './free-ports.js';
import { bringJars, run } from './maven.js';
import { cpuSecondsOf } from './measure.js';

/**
 * An HBase on loopback, with each part in its own process. The parts are `master`, which contains ZooKeeper, region servers `rs1`,
 * `rs2`, …, Thrift2 gateways `gw1`, `gw2`, …, and `admin`, a gateway without the framed transport, since only such a gateway can make
 * tables with splits.
 */
export type HBaseCluster = Awaited<ReturnType<typeof startHBase>>;

export interface HBaseOptions {
  /** Default: 2. With 0, one runs in the process of the master; use this if none has to be killed. */
  readonly regionServers?: number;
  readonly gateways?: number;
  readonly heapMb?: number;
  /**
   * Milliseconds after which a silent server counts as dead. Default: 6,000. Use more if none is killed, because a busy machine
   * may delay one.
   */
  readonly session?: number;
}

interface Part {
  readonly heapMb: number;
  readonly command: readonly string[];
  readonly port?: number;
  child?: ChildProcess;
}

const VERSION = '2.6.4-hadoop3';
/** For short lives on few cores. The last three are required by HBase for Java 17. */
const JAVA = [
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Djava.net.preferIPv4Stack=true',
  ...['java.nio', 'java.lang', 'sun.nio.ch'].flatMap((name) => ['--add-opens', `java.base/${name}=ALL-UNNAMED`]),
];
/** Time limit of a start on a busy machine; it takes half a minute on a quiet one. */
const START_MS = 600_000;
const POLL_MS = 200;
const MAX_STARTS = 3;
/** Number of ZooKeeper ticks in a session; from 2 to 20 are allowed. */
const TICKS_OF_SESSION = 6;

/**
 * Starts a cluster at free ports. It ends with this process, even after a kill.
 * @param sources the folder `bench/hbase`
 * @param cache a folder for the libraries that Maven fetches once
 */
export async function startHBase(sources: string, cache: string, options: HBaseOptions = {}) {
  const jars = await bringJars({
    name: 'HBase',
    pom: join(sources, 'pom.xml'),
    folder: join(cache, 'hbase', VERSION),
    finish: (made) => run('HBase', 'javac', ['-d', made, join(sources, 'RunUntilInputEnds.java')]),
  });
  for (let left = MAX_STARTS - 1; ; left--) {
    try {
      return await startOnce(join(sources, 'conf'), jars, options);
    } catch (error) {
      // Another program may have taken a port.
      if (left === 0) throw error;
    }
  }
}

async function startOnce(conf: string, jars: string, options: HBaseOptions) {
  const { regionServers = 2, gateways = 2, session = 6000 } = options;
  const folder = await mkdtemp(join(tmpdir(), 'webcrawl-hbase-'));
  const [zookeeper = 0, master = 0, admin = 0, ...others] = await freePorts(3 + regionServers + gateways);
  for (const name of ['data', 'logs', 'tmp']) await mkdir(join(folder, name));
  const variables = {
    folder,
    zookeeper,
    master,
    session,
    tick: session / TICKS_OF_SESSION,
    servers: Math.max(1, regionServers),
    inMaster: regionServers === 0,
  };
  const parts = partsOf(options, {
    admin,
    servers: others.slice(0, regionServers),
    gateways: others.slice(regionServers),
  });
  const removeData = (): void => rmSync(folder, { recursive: true, force: true });
  // Removes the data if no caller stops the cluster, as after Ctrl-C.
  process.once('exit', removeData);

  function find(name: string): Part {
    const part = parts.get(name);
    if (!part) throw new Error(`expected one of ${[...parts.keys()].join(', ')}, found "${name}"`);
    return part;
  }

  async function launch(name: string): Promise<void> {
    const part = find(name);
    if (isRunning(part)) return;
    const { heapMb, command } = part;
    const log = join(folder, 'logs', name);
    const output = await open(`${log}.out`, 'a');
    const classPath = `${conf}:${jars}:${join(jars, '*')}`;
    const java = [
      ...JAVA,
      `-Xmx${heapMb}m`,
      `-Dlog.file=${log}.log`,
      ...Object.entries(variables).map(([variable, value]) => `-Dwebcrawl.${variable}=${value}`),
      '-cp',
      classPath,
      'RunUntilInputEnds',
      ...command,
    ];
    // A process group of its own, so that Ctrl-C does not reach it.
    part.child = spawn('java', java, { cwd: folder, detached: true, stdio: ['pipe', output.fd, output.fd] });
    part.child.once('error', () => {});
    part.child.stdin!.once('error', () => {});
    await output.close();
  }

  async function untilAnswers(name: string): Promise<void> {
    const part = find(name);
    const answers = part.command[0] === GATEWAY ? gatewayAnswers : isOpen;
    for (const end = Date.now() + START_MS; part.port !== undefined; await wait(POLL_MS)) {
      if (!isRunning(part))
        throw new Error(`HBase: ${name} ended before it answered: ${await lastLines(folder, name)}`);
      if (await answers(part.port, part.command.includes(FRAMED))) return;
      if (Date.now() > end) throw new Error(`HBase: ${name} did not answer: ${await lastLines(folder, name)}`);
    }
  }

  async function kill(name: string): Promise<void> {
    const { child } = find(name);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    await ended;
  }

  async function stop(): Promise<void> {
    await Promise.all([...parts.keys()].map(kill));
    process.off('exit', removeData);
    await rm(folder, { recursive: true, force: true });
  }

  try {
    await Promise.all([...parts.keys()].map(launch));
    await Promise.all([...parts.keys()].map(untilAnswers));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    gateways: [...parts].flatMap(([name, { port }]) => (name.startsWith('gw') ? [`127.0.0.1:${port}`] : [])),
    admin: `127.0.0.1:${admin}`,
    parts: [...parts.keys()],
    kill,
    /** Starts a part that was killed, and waits until it answers. */
    async restart(name: string) {
      await launch(name);
      await untilAnswers(name);
    },
    /** CPU seconds of each running part since its start. Empty if there is no /proc. */
    cpuSeconds: () =>
      Object.fromEntries(
        [...parts].flatMap(([name, part]) => (isRunning(part) ? [[name, cpuSecondsOf(part.child!.pid!)]] : [])),
      ),
    stop,
  };
}

const FRAMED = '-f';
const GATEWAY = 'org.apache.hadoop.hbase.thrift2.ThriftServer';

function partsOf(
  { regionServers = 2, heapMb = 384 }: HBaseOptions,
  ports: { readonly admin: number; readonly servers: readonly number[]; readonly gateways: readonly number[] },
): Map<string, Part> {
  const gateway = (port: number, ...options: string[]): Part => ({
    heapMb: 192,
    command: [GATEWAY, '-b', '127.0.0.1', '-p', `${port}`, '-threadpool', '-m', '4', '-w', '32', ...options, 'start'],
    port,
  });
  const inMaster = regionServers === 0;
  const parts = new Map<string, Part>();
  parts.set('master', {
    heapMb: inMaster ? 256 + heapMb : 256,
    command: ['org.apache.hadoop.hbase.master.HMaster', `--localRegionServers=${inMaster ? 1 : 0}`, 'start'],
  });
  for (const [i, port] of ports.servers.entries()) {
    const options = ['-Dhbase.cluster.distributed=true', `-Dhbase.regionserver.port=${port}`];
    const command = ['org.apache.hadoop.hbase.regionserver.HRegionServer', ...options, 'start'];
    parts.set(`rs${i + 1}`, { heapMb, command, port });
  }
  for (const [i, port] of ports.gateways.entries()) parts.set(`gw${i + 1}`, gateway(port, FRAMED));
  parts.set('admin', gateway(ports.admin));
  return parts;
}

const isRunning = ({ child }: Part): boolean =>
  child?.pid !== undefined && child.exitCode === null && child.signalCode === null;

function isOpen(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

const ANSWER_MS = 20_000;

/** Whether a gateway can list the namespaces, for which it asks the master. */
function gatewayAnswers(port: number, isFramed: boolean): Promise<boolean> {
  const name = Buffer.from('listNamespaces');
  const head = Buffer.from([0x80, 1, 0, 1, 0, 0, 0, name.length]);
  const call = Buffer.concat([head, name, Buffer.from([0, 0, 0, 1, 0])]);
  return new Promise((resolve) => {
    let found = '';
    const socket = connect(port, '127.0.0.1', () => {
      socket.write(isFramed ? Buffer.concat([Buffer.from([0, 0, 0, call.length]), call]) : call);
    });
    socket.setTimeout(ANSWER_MS, () => socket.destroy());
    socket.once('error', () => {});
    socket.once('close', () => resolve(found.includes('default')));
    socket.on('data', (data) => {
      found += data.toString('latin1');
      if (found.includes('default')) socket.destroy();
    });
  });
}

async function lastLines(folder: string, name: string): Promise<string> {
  const texts = await Promise.all(
    ['out', 'log'].map((ending) => readFile(join(folder, 'logs', `${name}.${ending}`), 'utf8').catch(() => '')),
  );
  return texts.map((text) => text.slice(-1000)).join('\n');
}
