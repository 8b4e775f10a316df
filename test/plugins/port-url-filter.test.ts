import { fetch, Dispatcher } from 'undici';
import { expect, test } from 'vitest';
import { portUrlFilter } from '../../packages/plugins/index.js';
import { badPortOf } from '../../packages/url/index.js';
import { runs } from '../support/runs.js';

/** Throws if a request gets this far: its port was allowed. */
class NoNetwork extends Dispatcher {
  override dispatch(): boolean {
    throw new Error('let through');
  }
}

test('the ports are those that the fetch of undici refuses, and 0', async () => {
  const dispatcher = new NoNetwork();
  const refused: string[] = [];
  const ours: string[] = [];
  // In the short form, every eleventh of the allowed ports is enough.
  const step = runs(11, 1);
  for (let port = 1; port < 12_000; port++) {
    if (port === 80) continue;
    if (port > 1024 && port % step !== 0 && badPortOf(`http://a.example:${port}/`) === undefined) continue;
    const url = `http://a.example:${port}/`;
    if (badPortOf(url) !== undefined) ours.push(url);
    const error = await fetch(url, { dispatcher }).catch((thrown: unknown) => thrown as Error);
    if (error instanceof Error && error.cause instanceof Error && error.cause.message === 'bad port') refused.push(url);
  }
  expect(refused.length).toBeGreaterThan(75);
  expect(ours).toEqual(refused);
  expect(badPortOf('http://a.example:0/')).toBe('0');
  for (let port = 12_000; port <= 65_535; port++) if (badPortOf(`http://a.example:${port}/`)) ours.push(`${port}`);
  expect(ours).toEqual(refused);
}, 60_000);

test('the filter rejects them with the port as the reason, wherever the URL comes from', () => {
  const { name, filterUrl } = portUrlFilter();
  expect(name).toBe('urlfilter-port');
  for (const url of ['http://a.example:25/', 'https://10.0.0.1:22/x?y', 'http://[::1]:6000/'])
    expect(filterUrl?.(url, 'outlink')).toMatch(/^port (25|22|6000) is blocked by browsers$/);
  const fine = [
    'http://a.example/',
    'http://a.example:8080/',
    'http://a.example/x:25/',
    'http://[::25]/',
    'https://a/:22',
  ];
  for (const url of fine) expect(filterUrl?.(url, 'inject')).toBe(true);
});
