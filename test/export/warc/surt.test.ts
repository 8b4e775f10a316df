import { expect, test } from 'vitest';
import { surt } from '../../../packages/export/public.js';

// As computed by the Python package surt 0.3; test/export/warc/programs.test.ts compares more.
test.each([
  ['http://example.com/', 'com,example)/'],
  ['http://www.example.com/A/B/', 'com,example)/a/b'],
  ['https://www2.example.com:443/', 'com,example)/'],
  ['https://www.example.com:80/', 'com,example:80)/'],
  ['http://user:secret@example.com:8080/x', 'com,example:8080)/x'],
  ['http://127.0.0.1:3000/', '1,0,0,127:3000)/'],
  ['http://[::1]/', '::1)/'],
  ['http://xn--bcher-kva.de/', 'de,xn--bcher-kva)/'],
  ['http://example.com/?', 'com,example)/'],
  ['http://example.com/?b=2&a=1&a', 'com,example)/?a&a=1&b=2'],
  ['http://example.com/a?Q=X#part', 'com,example)/a?q=x'],
  ['http://example.com/%E3%81%82/', 'com,example)/%e3%81%82'],
  ['http://example.com/%2541%2e%2e/b', 'com,example)/a../b'],
  ['http://example.com/a//b', 'com,example)/a/b'],
  ['http://example.com/(S(abcdefghijklmnopqrstuvwx))/x.aspx', 'com,example)/x.aspx'],
  ['http://example.com/?a=1&PHPSESSID=0123456789abcdef0123456789abcdef', 'com,example)/?&a=1'],
  ['ftp://example.com/A', 'com,example)/a'],
  ['file:///x/Y', 'file:/x/y'],
])('%s', (url, key) => {
  expect(surt(url)).toBe(key);
});
