import { expect, it } from 'vitest';
import { loadSettings, type PartialSettings } from '../../config/index.js';

it('settings of a program are by section or by the whole name', () => {
  const bySection: PartialSettings = {
    http: { agentName: 'a', headers: { any: 'b' } },
    scoring: { relevant: { score: 2 } },
    plugins: ['./mine.js'],
  };
  const byName: PartialSettings = { 'scoring.relevant.score': 2, 'http.headers': { any: 'b' }, http: { timeout: 1 } };
  for (const overrides of [bySection, byName]) {
    expect(loadSettings({ overrides }).settings.http.headers).toEqual({ any: 'b' });
  }
});

it('a misspelt setting, and a value of another type, do not compile', () => {
  // @ts-expect-error agentNam is no setting
  const inSection: PartialSettings = { http: { agentNam: 'a' } };
  // @ts-expect-error http.agentNam is no setting
  const whole: PartialSettings = { 'http.agentNam': 'a' };
  // @ts-expect-error htp is no section
  const section: PartialSettings = { htp: {} };
  // @ts-expect-error the value is no number
  const value: PartialSettings = { 'scoring.relevant.score': [] };
  for (const overrides of [inSection, whole, value]) {
    expect(() => loadSettings({ overrides: { ...overrides } })).toThrow('wrong');
  }
  expect(section).toEqual({ htp: {} });
});
