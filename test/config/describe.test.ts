import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { describeSettings, readShippedFile, settingsMarkdown } from '../../config/index.js';

describe('describeSettings', () => {
  test('every setting has a type, a default and a text', () => {
    for (const { key, type, default: value, doc } of describeSettings()) {
      expect(key).toMatch(/^[a-z][a-zA-Z0-9]*(\.[a-z][a-zA-Z0-9]*){0,2}$/);
      expect(type, key).not.toBe('');
      expect(value, key).toBeDefined();
      expect(doc.length, key).toBeGreaterThan(5);
    }
  });

  test('states types in words', () => {
    const types = new Map(describeSettings().map(({ key, type }) => [key, type]));
    expect(types.get('http.timeout')).toBe('whole number of at least 1');
    expect(types.get('fetcher.maxCrawlDelay')).toBe('number of at least 0 or -1');
    expect(types.get('partition.urlMode')).toBe('one of host, domain, ip');
    expect(types.get('fetcher.storeContent')).toBe('true or false');
    expect(types.get('urlfilter.regexFile')).toBe('path of a file');
    expect(types.get('generate.minScore')).toBe('number');
    expect(types.get('db.fetchScheduleAdaptiveDecRate')).toBe('number from 0 to 1');
    expect(types.get('rank.damping')).toBe('number from 0 to below 1');
  });
});

test('docs/SETTINGS.md is up to date (npm run docs writes it)', () => {
  expect(readFileSync(new URL('../../docs/SETTINGS.md', import.meta.url), 'utf8')).toBe(settingsMarkdown());
});

test('the default rule files exist', () => {
  expect(readShippedFile('regex-urlfilter.txt')).toContain('+.');
  expect(readShippedFile('regex-normalize.txt').length).toBeGreaterThan(10);
});
