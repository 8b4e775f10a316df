import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { bringJars } from './maven.js';

export type OpenSearchServer = Awaited<ReturnType<typeof startOpenSearch>>;

const HEAP = '1g';

/**
 * Starts a node of OpenSearch at a free port.
 * @param sources the folder `bench/opensearch`
 * @param cache a folder for the libraries that Maven fetches once
 */
export async function startOpenSearch(sources: string, cache: string) {
  const jars = await bringJars({
    name: 'OpenSearch',
    pom: join(sources, 'pom.xml'),
    folder: join(cache, 'opensearch-2.19.1'),
  });
  const data = await mkdtemp(join(tmpdir(), 'webcrawl-opensearch-'));
  const program = join(sources, 'RunOpenSearch.java');
  const child = spawn('java', [`-Xms${HEAP}`, `-Xmx${HEAP}`, '-cp', join(jars, '*'), program, data], {
    stdio: ['pipe', 'pipe', 'pipe'],
  });
  const ended = new Promise<void>((resolve) => child.once('close', () => resolve()));
  const stop = async (): Promise<void> => {
    // It ends when its input closes, so also when this process is killed.
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
