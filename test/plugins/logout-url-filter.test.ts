import { expect, test } from 'vitest';
import { logoutUrlFilter } from '../../packages/plugins/index.js';

const filter = logoutUrlFilter(['https://a.example.com']).filterUrl!;

test.each([
  '/logout',
  '/a/log-out/',
  '/users/sign_out',
  '/logout.php?x=1',
  '/wp-login.php?action=logout&n=1',
  '/Special:UserLogout',
])('a link to %s of an origin with a cookie is rejected', (path) => {
  const url = `https://a.example.com${path}`;
  expect(filter(url, 'outlink')).toMatch(/^it logs out/);
  expect(filter(url.replace('//a.', '//b.'), 'outlink')).toBe(true);
});

test.each(['/blogout', '/logouts', '/catalog/out', '/docs/logout-page', '/login'])(
  'a link to %s is accepted',
  (path) => {
    expect(filter(`https://a.example.com${path}`, 'outlink')).toBe(true);
  },
);
