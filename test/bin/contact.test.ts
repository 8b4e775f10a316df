import { expect, it } from 'vitest';
import { askForContact } from '../../bin/contact.js';
import { settingsSchema } from '../../config/schema.js';
import { Sink, testIo } from './test-io.js';

function said(options: { isTTY?: boolean; quiet?: boolean; http?: Record<string, string> }): string {
  const stderr = new Sink({ isTTY: options.isTTY ?? true });
  const io = { ...testIo(), stderr };
  const settings = settingsSchema.parse({ http: options.http ?? {} });
  askForContact({ io, options: () => ({ quiet: options.quiet ?? false }), exitCode: 0 }, { settings });
  return stderr.text;
}

it('tells the user at a terminal how to set a contact', () => {
  expect(said({})).toContain('Servers see the name webcrawl and no contact. Set one: --set http.agentEmail=');
});

it.each([
  { isTTY: false },
  { quiet: true },
  { http: { agentUrl: 'https://example.com/bot' } },
  { http: { agentEmail: 'bot@example.com' } },
])('is silent with %j', (options) => {
  expect(said(options)).toBe('');
});
