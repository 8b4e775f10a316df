import { describe, expect, it } from 'vitest';
import { fileOfHost } from '../../../packages/export/target/host-name.js';

describe('the file of a host', () => {
  it.each([
    ['example.com', 'com/ex/example.com.jsonl'],
    ['www.example.com', 'com/ex/example/ww/www.example.com.jsonl'],
    ['a.b.example.com', 'com/ex/example/b/a.b.example.com.jsonl'],
    ['xn--fiqs8s.xn--p1ai', 'xn--p1ai/fi/xn--fiqs8s.xn--p1ai.jsonl'],
    ['localhost', 'localhost/localhost.jsonl'],
    ['10.0.0.1', 'ip/10/10.0.0.1.jsonl'],
    ['[2001:db8::1]', 'ip/20/~5b2001~3adb8~3a~3a1~5d.jsonl'],
    ['example.com.', '~/co/com/ex/example.com~2e.jsonl'],
    ['a$b*c".example', 'example/a~24/a~24b~2ac~22.example.jsonl'],
    ['~24.example', 'example/~7e2/~7e24.example.jsonl'],
    ['nul.example', 'example/nu/~6eul.example.jsonl'],
    ['x.aux.example', 'example/au/~61ux/x/x.aux.example.jsonl'],
  ])('%s: %s', (host, file) => {
    expect(fileOfHost(host)).toBe(file);
  });

  it('keeps names that file systems accept, and separates different hosts', () => {
    const long = (last: string): string =>
      `${'a'.repeat(60)}.${'b'.repeat(60)}.${'c'.repeat(60)}.${'d'.repeat(60)}.${last}`;
    const files = [fileOfHost(long('com')), fileOfHost(long('org').replace('org', 'com').replace('a', 'e'))];
    expect(new Set(files).size).toBe(2);
    for (const name of files.flatMap((file) => file.split('/'))) expect(name.length).toBeLessThanOrEqual(255);
  });
});
