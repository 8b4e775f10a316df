import { afterEach } from 'vitest';
import { settingsSchema } from '../../../config/schema.js';
import type { Settings } from '../../../config/index.js';
import type { FetchOutcome } from '../../../packages/webcrawl/index.js';
import { httpProtocol, type HttpExtras, type HttpProtocol } from '../../../packages/fetch/index.js';
import { rawServer, type RawHandler, type RawServer } from './raw-server.js';

/** The protocol and servers for it, all closed after each test. */
export interface HttpKit {
  /** With the default settings, but for those given. */
  protocol(settings?: Partial<Settings['http']>, extras?: HttpExtras): HttpProtocol;
  serve(handler: RawHandler): Promise<RawServer>;
  /** Done after the test, the last first. */
  readonly cleanups: (() => Promise<unknown> | void)[];
}

/** Makes the kit of one test file. */
export function httpKit(): HttpKit {
  const cleanups: HttpKit['cleanups'] = [];
  afterEach(async () => {
    for (const cleanup of cleanups.splice(0).reverse()) await cleanup();
  });
  return {
    cleanups,
    protocol(settings = {}, extras = {}) {
      const made = httpProtocol({ ...settingsSchema.shape.http.parse({}), ...settings }, extras);
      cleanups.push(() => made.close());
      return made;
    },
    async serve(handler) {
      const server = await rawServer(handler);
      cleanups.push(() => server.close());
      return server;
    },
  };
}

/** The body that was kept of an answer, one character per octet; undefined where there is none. */
export function kept(outcome: FetchOutcome): string | undefined {
  return outcome.kind === 'content' ? Buffer.from(outcome.body).toString('latin1') : undefined;
}
