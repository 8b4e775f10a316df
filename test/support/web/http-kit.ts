import type { Server } from 'node:net';
import { onTestFinished } from 'vitest';
import { settingsSchema } from '../../../config/schema.js';
import type { Settings } from '../../../config/index.js';
import type { FetchOutcome } from '../../../packages/webcrawl/internal.js';
import { httpProtocol, type HttpExtras, type HttpProtocol } from '../../../packages/fetch/index.js';
import { rawServer, type RawHandler, type RawServer } from './raw-server.js';

/** The protocol with the default settings, except for the given ones; closed after the test. */
export function openProtocol(settings: Partial<Settings['http']> = {}, extras: HttpExtras = {}): HttpProtocol {
  const made = httpProtocol({ ...settingsSchema.shape.http.parse({}), ...settings }, extras);
  onTestFinished(() => made.close());
  return made;
}

/** A raw server, closed after the test. */
export async function serve(handler: RawHandler): Promise<RawServer> {
  const server = await rawServer(handler);
  onTestFinished(() => server.close());
  return server;
}

/** Waits until a server listens on a free port of loopback, and closes it after the test. */
export async function listen(server: Server, host = '127.0.0.1'): Promise<number> {
  await new Promise<void>((resolve, reject) => server.once('error', reject).listen(0, host, resolve));
  onTestFinished(() => new Promise<void>((resolve) => void server.close(() => resolve())));
  return (server.address() as { port: number }).port;
}

/** The stored body of an answer, one character for each byte. Undefined: there is none. */
export function kept(outcome: FetchOutcome): string | undefined {
  return outcome.kind === 'content' ? Buffer.from(outcome.body).toString('latin1') : undefined;
}
