import { spawn, spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rename, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';

/** An OpenSearch of our own, on loopback. */
export interface OpenSearchServer {
  /** `http://127.0.0.1:<port>`. */
  readonly url: string;
  readonly pid: number;
  /** Ends it, and removes its data. */
  stop(): Promise<void>;
}

/** Memory of the Java machine. */
const HEAP = '1g';

/** Whether it can be started here: Maven brings it, and Java runs it. */
export function hasOpenSearch(): boolean {
  return ['mvn', 'javac'].every((command) => spawnSync(command, ['-version']).status === 0);
}

/**
 * Starts a node of OpenSearch at a free port.
 * @param sources the folder `bench/opensearch`
 * @param cache a folder for what Maven brings, once
 * @throws Error when Maven cannot bring it, or it ends before it listens
 */
export async function startOpenSearch(sources: string, cache: string): Promise<OpenSearchServer> {
  const jars = await bringJars(sources, cache);
  const data = await mkdtemp(join(tmpdir(), 'webcrawl-opensearch-'));
  const program = join(sources, 'RunOpenSearch.java');
  const child = spawn('java', [`-Xms${HEAP}`, `-Xmx${HEAP}`, '-cp', join(jars, '*'), program, data], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    // It ends when its input does, so also when this process is killed.
    child.stdin.end();
    child.kill();
    await ended;
    await rm(data, { recursive: true, force: true });
  };
  const said: string[] = [];
  child.stderr.on('data', (text: Buffer) => said.push(text.toString()));
  try {
    const url = await new Promise<string>((resolve, reject) => {
      child.once('error', reject);
      void ended.then(() => reject(new Error(`OpenSearch ended before it listened: ${said.join('').slice(-2000)}`)));
      createInterface({ input: child.stdout }).on('line', (line) => {
        const port = /listening on port (\d+)/.exec(line)?.[1];
        if (port !== undefined) resolve(`http://127.0.0.1:${port}`);
        else said.push(`${line}\n`);
        said.splice(0, said.length - 200);
      });
    });
    return { url, pid: child.pid!, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** The libraries of OpenSearch; made at once, so that half of them is never taken for all. */
async function bringJars(sources: string, cache: string): Promise<string> {
  const jars = join(cache, 'opensearch-2.19.1');
  if (existsSync(jars)) return jars;
  await mkdir(cache, { recursive: true });
  const made = await mkdtemp(`${jars}-`);
  const args = ['-q', '-B', '-f', join(sources, 'pom.xml'), 'dependency:copy-dependencies', '-DincludeScope=runtime'];
  const { status, stdout, stderr } = spawnSync('mvn', [...args, `-DoutputDirectory=${made}`], { encoding: 'utf8' });
  if (status !== 0) {
    await rm(made, { recursive: true, force: true });
    throw new Error(`Maven cannot bring OpenSearch: ${`${stdout}${stderr}`.slice(-1000)}`);
  }
  await rename(made, jars).catch(async (error: unknown) => {
    // Another process was faster.
    if (!existsSync(jars)) throw error;
    await rm(made, { recursive: true, force: true });
  });
  return jars;
}
