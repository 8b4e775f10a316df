/** The byte scan of the prototype finds what webcrawl finds, or gives up. */
import { expect, it, vi } from 'vitest';
import { settingsSchema } from '../../config/index.js';
import { mix } from '../../bench/lib/made-page.js';
import { ByteScan } from '../../bench/prototype/scan/byte-scan.js';
import type { Target } from '../../bench/prototype/hosts.js';
import { createPageReader, type PageReader } from '../../bench/prototype/page-reader.js';

const settings = settingsSchema.parse({});
const URL_OF_PAGE = 'http://a.test/folder/page?q=1';
const HTML = { 'content-type': 'text/html; charset=utf-8' };
const FRAGMENTS = [
  ...[
    'text',
    ' two  words ',
    '&amp;',
    '&nbsp;',
    '&#8217;s',
    '&lt;b&gt;',
    '&ampfoo',
    'a&b',
    'é',
    '\u3000x',
    '漢字',
    '\n',
    '\t',
    '0',
  ],
  ...[
    '<p>',
    '</p>',
    '<div>',
    '</div>',
    '<b>',
    '</b>',
    '<em>',
    '</em>',
    '<br>',
    '<hr/>',
    '<h1>',
    '</h1>',
    '<span class="x">',
    '</span>',
  ],
  ...[
    '<a href="/x">',
    '<a href="b.html#part">',
    '<a href="?r=2">',
    '<a href="#top">',
    "<A HREF='c?x=1&amp;y=2'>",
    '<a href=d>',
    '</a>',
    '</a>',
  ],
  ...[
    '<a rel="nofollow" href="/n">',
    '<a name="here">',
    '<a href="">',
    '<a href="mailto:x@a.test">',
    '<area href="/area" alt="An area">',
  ],
  ...[
    '<ul>',
    '<li>',
    '</li>',
    '</ul>',
    '<ol>',
    '</ol>',
    '<dl>',
    '<dt>',
    '<dd>',
    '</dd>',
    '</dl>',
    '<pre>',
    '</pre>',
    '<blockquote>',
  ],
  ...[
    '<table>',
    '<tr>',
    '<td>',
    '<th>',
    '</td>',
    '</tr>',
    '<tbody>',
    '</tbody>',
    '</table>',
    '<caption>',
    '</caption>',
    '<colgroup>',
    '<col>',
  ],
  ...[
    '<img alt="A picture" src="p.png">',
    '<img src=q.png>',
    '<title>A  title &amp; more</title>',
    '<textarea>a < b</textarea>',
  ],
  ...[
    '<script>if (a<b) "</p>"</script>',
    '<style>p > a {}</style>',
    '<!-- a <p> -->',
    '<!DOCTYPE html>',
    '<svg><path d="M0"/></svg>',
    '<svg> <g></g></svg>',
  ],
  ...[
    '<form action="/f">',
    '</form>',
    '<button>',
    '</button>',
    '<input value="x">',
    '<label>',
    '</label>',
    '<unknown>',
    '<iframe src="/i"></iframe>',
  ],
  ...[
    '<html lang="en">',
    '<head>',
    '</head>',
    '<body>',
    '</body>',
    '</html>',
    '<base href="/base/">',
    '<meta name="robots" content="nofollow">',
    '<noscript>',
  ],
];

/** Elements that may hold others, with what they are put in. */
const ELEMENTS = [
  ...[
    'p',
    'div',
    'b',
    'em',
    'span',
    'h2',
    'ul><li',
    'dl><dt',
    'dl><dd',
    'blockquote',
    'pre',
    'section',
    'center',
    'button',
  ],
  ...[
    'a href="/x"',
    'a href="y.html"',
    'a href="y.html#z"',
    'a rel="nofollow" href="/n"',
    'a href="?r"',
    'form',
    'label',
  ],
  ...['table><tr><td', 'table><tbody><tr><th', 'table><caption', 'table><thead><tr><td'],
];

/** Elements within one another, of which one in twenty is not closed. */
function nested(seed: number, depth: number): string {
  const parts = Array.from({ length: mix(seed, 1) % 5 }, (_, i) => {
    const random = mix(seed, i, 2);
    if (depth === 0 || random % 3 === 0) return FRAGMENTS[(random >>> 4) % 17]!;
    const tags = ELEMENTS[(random >>> 4) % ELEMENTS.length]!;
    const names = tags.split('><').map((tag) => tag.split(' ')[0]!);
    const ends =
      random % 20 === 1
        ? ''
        : names
            .map((name) => `</${name}>`)
            .reverse()
            .join('');
    return `<${tags}>${nested(random, depth - 1)}${ends}`;
  });
  return parts.join('');
}

/** What a reader says of a page. */
function seen(read: PageReader, html: string): unknown {
  const page = read(URL_OF_PAGE, HTML, Buffer.from(html))!;
  const links = page.targets.map(({ url }, i) => [url, page.anchors[i]]);
  return { title: page.title, text: Buffer.from(page.text).toString(), links };
}

function targets(): (url: string) => Target {
  const known = new Map<string, Target>();
  return (url) => {
    const target = known.get(url) ?? { url, host: undefined, path: '', tries: 0, page: 0, link: 0, group: 0, index: 0 };
    known.set(url, target);
    return target;
  };
}

it('on random pages', () => {
  const fast = createPageReader(settings, targets());
  const oracle = createPageReader(settings, targets(), false);
  const scan = vi.spyOn(ByteScan.prototype, 'scan');
  for (let seed = 0; seed < 6000; seed++) {
    const parts = Array.from({ length: 1 + (mix(seed) % 3) }, (_, i) => {
      return seed % 4 === 0 ? FRAGMENTS[mix(seed, i) % FRAGMENTS.length]! : nested(mix(seed, i), 1 + (seed % 3));
    });
    const isWhole = seed % 2 === 0;
    const html = isWhole ? `<!DOCTYPE html><html><head></head><body>${parts.join('')}</body></html>` : parts.join('');
    expect([html, seen(fast, html)]).toEqual([html, seen(oracle, html)]);
  }
  expect(scan.mock.results.filter(({ value }) => value === true).length).toBeGreaterThan(1500);
});
