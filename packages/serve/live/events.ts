import type { ServerResponse } from 'node:http';
import type { Stream } from '../http/reply.js';

const MAX_VIEWERS = 100;
/** A viewer with more does not read, and is disconnected. */
const MAX_UNSENT_BYTES = 512 * 1024;
const EVERY_MS = 1_000;

/**
 * Sends the same figures to all viewers once a second. Without viewers, no figures are read.
 * @param read returns the figures to send, as JSON
 */
export function createEvents(read: () => Promise<unknown>) {
  const viewers = new Set<ServerResponse>();
  let timer: NodeJS.Timeout | undefined;

  async function send(to: Iterable<ServerResponse>): Promise<void> {
    const event = `data: ${JSON.stringify(await read())}\n\n`;
    for (const viewer of to) {
      if (viewer.writableLength > MAX_UNSENT_BYTES) viewer.destroy();
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
    get isFull() {
      return viewers.size >= MAX_VIEWERS;
    },
    /** Makes the stream of events for one more viewer, until the viewer disconnects. */
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
