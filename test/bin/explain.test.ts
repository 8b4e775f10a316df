import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { explanationText } from '../../bin/output/explanation-text.js';
import type { Explanation } from '../../packages/webcrawl/internal.js';
import { runLine } from './test-io.js';
import { suiteFolder } from '../support/files/temp-folder.js';

const folder = suiteFolder();
beforeAll(() => webcrawl('inject', 'https://example.com/'));

const webcrawl = (...args: string[]) => runLine(['--table', `level:${join(folder, 'table')}`, ...args]);

describe('explain', () => {
  test('shows what happens next, then the reasons', async () => {
    const { code, out, err } = await webcrawl('explain', 'HTTPS://Example.com:443/#x');
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^https:\/\/example\.com\/\n\nDue since .*\n\nURL\n {2}given {7}HTTPS:/);
    for (const title of ['URL', 'Rules', 'Robots', 'Page']) expect(out).toMatch(new RegExp(`^${title}$`, 'm'));
    expect(out).toMatch(/^ {2}row key {5}com\.example:https\/$/m);
    expect(out).toMatch(/^ {2}queue {7}example\.com \(by host\), slot [0-9a-f]{2}, 1 s between requests$/m);
    expect(out).toMatch(/^ {2}urlfilter-regex {6}accepts$/m);
    expect(out).toMatch(/^ {2}status {7}unfetched$/m);
  });

  test('shows the readable form of the URL', async () => {
    const { out } = await webcrawl('explain', 'http://例え.jp/');
    expect(out).toMatch(/^http:\/\/xn--r8jz45g\.jp\/\n/);
    expect(out).toMatch(/^ {2}reads {7}http:\/\/例え\.jp\/$/m);
    expect((await webcrawl('explain', 'https://example.com/')).out).not.toMatch(/^ {2}reads/m);
  });

  test('a URL without a scheme is looked up by https, and then by http', async () => {
    expect((await webcrawl('explain', 'example.com')).out).toMatch(/^https:\/\/example\.com\/\n\nDue/);
    await webcrawl('inject', 'http://localhost:8080/');
    expect(await webcrawl('explain', 'localhost:8080')).toMatchObject({ code: 0 });
    expect((await webcrawl('explain', 'example.com/lost')).out).toMatch(/^https:.*\n\nNot in the table/);
  });

  test('--json is one object', async () => {
    const { code, out } = await webcrawl('explain', 'https://example.com/', '--json');
    expect(code).toBe(0);
    expect(out.trimEnd()).not.toContain('\n');
    expect(JSON.parse(out)).toMatchObject({
      url: 'https://example.com/',
      page: { status: 'unfetched', isSeed: true },
      next: { kind: 'due' },
    });
  });

  test.each(['https://example.com/unknown', 'https://example.com/x.jpg', 'nothing'])('%s exits with 1', async (url) => {
    const { code, out } = await webcrawl('explain', url);
    expect(code).toBe(1);
    expect(out).toContain('Not in the table');
    expect((await webcrawl('explain', url, '--json')).code).toBe(1);
  });
});

describe('the text output', () => {
  const evil = 'a\u001b[2J\nPage\n  status  fetched\u202e';

  test('no text from the network reaches a terminal unescaped, or begins a line', () => {
    const explanation: Explanation = {
      given: evil,
      now: 1e12,
      url: 'http://h/',
      accepted: false,
      rejectedBy: evil,
      rule: evil,
      steps: [
        { kind: 'normalizer', name: evil, before: evil, after: `${evil}2` },
        { kind: 'filter', name: 'f', accepted: false, rule: evil },
      ],
      key: 'h:http/',
      host: 'h',
      domain: 'h',
      queue: { mode: 'ip', slot: '00', delay: 1.5 },
      inbox: 2,
      robots: {
        source: 'stored',
        verdict: 'denied',
        line: { number: 3, text: evil },
        fetchedAt: 1e12 - 5e6,
        status: 200,
      },
      backoff: { failures: 12, since: 1e12 - 5e6, until: 1e12 + 60_000, code: evil, http: 503, message: evil },
      page: {
        key: 'h:http/',
        isSeed: false,
        title: evil,
        redirectTarget: evil,
        dueAt: 1e12 + 60_000,
        fetchedAt: 9e15,
        protocolStatus: { code: evil, message: evil },
        parseStatus: { code: 'failed', message: evil },
        marks: [{ mark: 'fetch', value: evil, batchState: 'open' }],
        inlinks: [{ url: 'http://i/', anchor: evil, score: 1 }],
        damaged: [evil],
      },
      next: { kind: 'due', text: 'Next.' },
    };
    const text = explanationText(explanation);
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
    expect(text).toMatch(
      /^Host\n {2}in back-off {2}until 2001-09-09T01:47:40.000Z \(in 1 min 0 s\)\n {2}failures {5}12 in/m,
    );
    expect(text.match(/^Page$/gm)).toHaveLength(1);
    expect(text.match(/^ {2}status {2}/gm)).toBeNull();
    expect(text).toContain('(in 1 min 0 s)');
    expect(text).toContain('(1 h 23 min ago)');
    expect(text).toContain('not looked up, see --robots (by ip)');
    expect(text).toContain('last fetch  9000000000000000\n');
    expect(text).toMatch(/^ {2}inbox {6,}2 waiting for the owner of the slot$/m);
  });
});
