import { describe, expect, it } from 'vitest';
import { groupOf } from '../../packages/url/index.js';

describe('groupOf', () => {
  it('groups pages by host or by domain', () => {
    expect(groupOf('http://www.example.co.uk:81/a', 'host')).toBe('www.example.co.uk');
    expect(groupOf('http://www.example.co.uk:81/a', 'domain')).toBe('example.co.uk');
    expect(groupOf('https://[::1]/', 'host')).toBe('[::1]');
    expect(groupOf('https://[::1]/', 'domain')).toBe('[::1]');
  });

  it('groups http, https and all ports of a host together', () => {
    const groups = ['http://a.com/', 'https://a.com/x', 'http://a.com:8080/'].map((url) => groupOf(url, 'host'));
    expect(new Set(groups)).toEqual(new Set(['a.com']));
  });

  it('accepts a host too', () => {
    expect(groupOf('www.example.com', 'host')).toBe('www.example.com');
    expect(groupOf('www.example.com', 'domain')).toBe('example.com');
    expect(groupOf('[::1]', 'domain')).toBe('[::1]');
  });

  it('rejects other URLs', () => {
    expect(() => groupOf('ftp://a.com/', 'host')).toThrow(expect.objectContaining({ code: 'BAD_URL' }));
  });
});
