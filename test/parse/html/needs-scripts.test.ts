import { expect, it } from 'vitest';
import { parsePage } from '../../support/parsing/parse-page.js';

const APP = '<div id=root>Loading</div><script src=/app.js></script>';

it.each([
  ['an app', true, APP],
  ['an app as a module', true, '<div id=root></div><script type=module src=/app.js></script>'],
  ['a page without scripts', undefined, '<div id=root>Loading</div>'],
  ['a page with data only', undefined, '<div>Short</div><script type="application/json">{}</script>'],
  ['a page with a link', undefined, `${APP}<a href=/a>a</a>`],
  ['a page whose links must not be followed', undefined, `<meta name=robots content=nofollow>${APP}<a href=/a>a</a>`],
  ['a redirect', undefined, `<meta http-equiv=refresh content="0; url=/b">${APP}`],
  ['a page with text', undefined, `${APP}<p>${'Sencha is a green tea from Japan. '.repeat(5)}</p>`],
])('%s needs scripts: %s', (_, expected, html) => {
  expect(parsePage(html).needsScripts).toBe(expected);
});
