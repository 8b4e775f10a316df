import type { ServerResponse } from 'node:http';
import type { Stream } from '../http/answer.js';

/** Viewers at a time; more are turned away. */
export const MAX_VIEWERS = 100;
/** Bytes that wait for a viewer that does not read, after which it is dropped. */
const MAX_WAITING = 512 * 1024;
const EVERY_MS = 1_000;

/**
 * Sends the same figures to all viewers once a second, and asks for none while nobody looks.
 * @param read what is sent, as JSON
 */
export function createEvents(read: () => Promise<unknown>) {
  const viewers = new Set<ServerResponse>();
  let timer: NodeJS.Timeout | undefined;

  async function send(to: Iterable<ServerResponse>): Promise<void> {
    const event = `data: ${JSON.stringify(await read())}\n\n`;
    for (const viewer of to) {
      if (viewer.writableLength > MAX_WAITING) viewer.destroy();
      else if (!viewer.writableEnded) viewer.write(event);
    }
  }

  function leave(viewer: ServerResponse): void {
    viewers.delete(viewer);
    if (viewers.size > 0) return;
    clearInterval(timer);
    timer = undefined;
  }

  return {
    /** Whether there is room for one more viewer. */
    get isFull() {
      return viewers.size >= MAX_VIEWERS;
    },
    /** Events for one more viewer, until it goes. */
    stream: (): Stream => ({
      stream(response) {
        response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8', 'cache-control': 'no-store' });
        response.write('retry: 3000\n\n');
        viewers.add(response);
        response.once('close', () => leave(response));
        timer ??= setInterval(() => void send(viewers), EVERY_MS);
        void send([response]);
      },
    }),
  };
}
