import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServerResponse } from 'node:http';
import { beforeAll, expect, test } from 'vitest';
import { logPlaces } from '../../packages/changes/index.js';
import { changeTargets, openContext } from '../../packages/webcrawl/internal.js';
import { requireCommand, startCommand } from '../support/command-process.js';
import { madeUrl, writeChanges } from '../support/made-changes.js';
import { runs } from '../support/runs.js';
import { randomNumbers } from '../support/web/fake-web.js';
import { SECRET, hookServer, type HookServer, type Received } from '../support/web/hook-server.js';

const KILLS = runs(5, 40);
const COUNT = runs(60, 600);
const LONG = 900_000;

beforeAll(requireCommand);

test(
  `no change is lost if the server fails, hangs and is killed, and the sender is killed ${KILLS} times`,
  async () => {
    const folder = await mkdtemp(join(tmpdir(), 'webcrawl-watch-kill-'));
    const table = join(folder, 'table');
    const names = Array.from({ length: COUNT }, (_, i) => `p${String(i).padStart(4, '0')}`);
    const random = randomNumbers(5);
    {
      await using crawl = await openContext({ table });
      await writeChanges(crawl, names, { at: Date.now() });
    }
    const all: Received[] = [];
    const wrong: string[] = [];
    let isPeace = false;
    let onMessage = (): void => undefined;
    const answer = (message: Received, response: ServerResponse): void => {
      all.push(message);
      const luck = isPeace ? 1 : random();
      if (luck < 0.05) response.writeHead(500).end();
      // Without an answer the request hangs until one of the two is killed.
      else if (luck >= 0.08) response.writeHead(204).end();
      onMessage();
    };
    let server = await hookServer(answer);
    const { url } = server;
    const port = Number(new URL(url).port);
    const restart = async (): Promise<HookServer> => {
      wrong.push(...server.wrong);
      await server.close();
      return hookServer(answer, { port });
    };
    const watch = () =>
      startCommand(folder, ['watch', '--to', url, '--allow-private', '--since', '1971-01-01'], {
        table,
        env: { WEBCRAWL_WATCH_SECRET: SECRET },
      });
    try {
      for (let kill = 0; kill < KILLS; kill++) {
        const { child, ended } = watch();
        const target = all.length + 1 + Math.floor(random() * (COUNT / KILLS));
        await Promise.race([
          new Promise<void>((resolve) => {
            onMessage = () => all.length >= target && resolve();
          }),
          // A sender that hangs or waits for its next attempt is killed, too.
          new Promise((resolve) => setTimeout(resolve, 8_000)),
        ]);
        if (kill % 2 === 1) server = await restart();
        child.kill('SIGKILL');
        await ended;
      }
      isPeace = true;
      const { child, ended } = watch();
      const isAll = (): boolean => new Set(all.map(({ data }) => data['url'])).size === COUNT;
      const delivered = async (): Promise<boolean> => {
        await using crawl = await openContext({ table });
        const [target] = await changeTargets(crawl);
        const { next } = await logPlaces(crawl);
        return target!.delivered >= COUNT && target!.waiting.length === 0 && target!.cursor === next;
      };
      let isOver = false;
      void ended.then(() => (isOver = true));
      while (!isOver && !(isAll() && (await delivered()))) await new Promise((resolve) => setTimeout(resolve, 300));
      child.kill('SIGTERM');
      expect((await ended).code).toBe(130);
      expect([...wrong, ...server.wrong]).toEqual([]);
      expect(new Set(all.map(({ data }) => data['url']))).toEqual(new Set(names.map(madeUrl)));
      // A message that arrives twice has the same id, so a receiver can recognise it.
      const ids = new Map(all.map(({ id, data }) => [data['url'], id]));
      for (const { id, data } of all) expect(id).toBe(ids.get(data['url']));
      expect(new Set(ids.values()).size).toBe(COUNT);
    } finally {
      await server.close();
      await rm(folder, { recursive: true, force: true });
    }
  },
  LONG,
);
