import { expect, it } from 'vitest';
import { settingsSchema } from '../../../config/schema.js';
import { userAgent } from '../../../packages/fetch/index.js';

const defaults = settingsSchema.shape.http.parse({});

it.each([
  [{}, 'webcrawl/0.1'],
  [{ agentVersion: '' }, 'webcrawl'],
  [{ agentName: 'bot', agentVersion: '2', agentUrl: 'http://b.org/' }, 'bot/2 (http://b.org/)'],
  [{ agentDescription: 'a bot', agentEmail: 'a@b.org' }, 'webcrawl/0.1 (a bot; a@b.org)'],
  [{ agentDescription: 'd', agentUrl: 'u', agentEmail: 'e' }, 'webcrawl/0.1 (d; u; e)'],
])('names the crawler, without empty parts: %j', (settings, expected) => {
  expect(userAgent({ ...defaults, ...settings })).toBe(expected);
});
