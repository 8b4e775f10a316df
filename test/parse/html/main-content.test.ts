import { statSync } from 'node:fs';
import { join } from 'node:path';
import { serializeOuter } from 'parse5';
import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../../../config/index.js';
import { ClassWords, FAMILY } from '../../../packages/parse/html/main/class-words.js';
import { FEATURES } from '../../../packages/parse/html/main/features.js';
import { FIRST, SECOND } from '../../../packages/parse/html/main/model.js';
import { NEIGHBOUR_FEATURES } from '../../../packages/parse/html/main/neighbours.js';
import { mainContent } from '../../../packages/parse/index.js';
import { ROOT } from '../../support/docs/source-files.js';

const SETTINGS = settingsSchema.parse({});

/** The main content of a page as HTML. */
function htmlOf(html: string, keepCaptions = false): string | undefined {
  const input = { url: 'http://a.com/', content: Buffer.from(html), contentType: 'text/html', charset: 'utf-8' };
  const settings = { parser: { ...SETTINGS.parser, keepCaptions } };
  const body = mainContent(input, settings);
  return body && serializeOuter(body);
}

/** Its text, with single spaces. */
function textOf(html: string, keepCaptions = false): string | undefined {
  return htmlOf(html, keepCaptions)
    ?.replace(/<[^>]*>/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

/** Sentences about one thing, so that a text of any length can be recognised. */
function prose(thing: string, sentences: number): string {
  const one = (n: number): string =>
    `In year ${n}, the ${thing} was measured again, and its keeper wrote down what he saw.`;
  return Array.from({ length: sentences }, (_, i) => one(1850 + i)).join(' ');
}
const paragraphs = (thing: string, count: number): string =>
  Array.from({ length: count }, (_, i) => `<p>${prose(`${thing} ${i}`, 3)}</p>`).join('\n');
const plainWords = (count: number): string => Array.from({ length: count }, (_, i) => `term${i}`).join(' ');
const links = (names: string): string =>
  names
    .split(' ')
    .map((name) => `<li><a href="/${name}">${name}</a></li>`)
    .join('');

const NAVIGATION = `<header class="site-header"><a href="/">The harbour</a><nav><ul>${links('Home News Tides Boats Contact')}</ul></nav></header>`;
const FOOTER = `<footer class="site-footer"><p>© 2026 The harbour. All rights reserved.</p><ul>${links('Imprint Privacy Terms')}</ul></footer>`;

describe('the main content has the article', () => {
  it('in a form around the whole page', () => {
    const html = `<title>Courses</title><body><form method="post" id="aspnetForm"><input type="hidden" value="x"><div id="content">
      <h1>Courses</h1><p>${plainWords(120)}</p></div></form>`;
    expect(textOf(html)).toBe(`Courses ${plainWords(120)}`);
  });

  it('in a declarative shadow root', () => {
    const shadow = `<nav><a href="/">Home</a></nav><main><h1>Gauges</h1><slot></slot></main>`;
    const html = `<title>Gauges</title><body><my-app><template shadowrootmode="open">${shadow}</template>${paragraphs('gauge', 2)}</my-app>`;
    expect(textOf(html)).toMatch(/^Gauges In year 1850.* what he saw\.$/);
    expect(textOf(`<body><my-app><template shadowrootmode="open"><p>All of it.</p></template></my-app>`)).toBe(
      'All of it.',
    );
  });

  it('in a wrapper with the class name of secondary content', () => {
    const stories = Array.from(
      { length: 30 },
      (_, i) => `<li><a href="/s/${i}">The tale of boat ${i}</a>, in short</li>`,
    );
    const html = `<title>Hours</title><body><div class="wrapper sticky-footer has-menu"><h1>Archive</h1><ul>${stories.join('')}</ul></div>`;
    expect(textOf(html)).toMatch(/^Archive The tale of boat 0 , in short .* The tale of boat 29 , in short$/);
    const posts = Array.from(
      { length: 30 },
      (_, i) => `<li><a href="/post/${i}">A story with the number ${i}</a>, of some words</li>`,
    );
    const whole = textOf(
      `<!doctype html><title>Hours</title>\n<body><div class="wrapper sticky-footer"><h1>Archive</h1>\n<ul>${posts.join('')}</ul></div>`,
    );
    for (let i = 0; i < 30; i++) expect(whole).toContain(`the number ${i} ,`);
    const article = `<body class="with-sidebar"><div class="menu-open">${NAVIGATION}<div class="content"><h1>Gauges</h1>${paragraphs('gauge', 6)}</div></div>`;
    expect(textOf(article)).toMatch(/^Gauges In year 1850.* what he saw\.$/);
  });

  it('in an aside', () => {
    const html = `<title>Bees</title><body><div id="consent"><p>We use cookies, as all do.</p></div><div class="wrap">
      <aside class="article-body"><h1>Bees</h1><p>${plainWords(300)}</p></aside></div>`;
    expect(textOf(html)).toBe(`Bees ${plainWords(300)}`);
  });

  it('in the main element that is shown', () => {
    const html = `<title>Real</title><body><main hidden></main><main><h1>Real</h1><p>The text of this page.</p></main>`;
    expect(textOf(html)).toBe('Real The text of this page.');
  });

  it('beside the only article element, which is a comment', () => {
    const html = `<title>Story</title><body><div id="story"><h1>Story</h1><p>${plainWords(200)}</p></div>
      <article class="comment"><p>Only one reader said a few words here.</p></article>`;
    expect(textOf(html)).toContain(`Story ${plainWords(200)}`);
  });

  it('in tabs, shown or not, without the names of the tabs', () => {
    const html = `<title>Install</title><main><h1>Install</h1><p>Run this:</p><div class="tabs-container">
      <ul role="tablist" class="tabs"><li role="tab">npm</li><li role="tab">Yarn</li></ul>
      <div role="tabpanel"><pre><code>npm install example</code></pre></div>
      <div role="tabpanel" hidden><pre><code>yarn add example</code></pre></div></div><p>Done.</p></main>`;
    expect(textOf(html)).toBe('Install Run this: npm install example yarn add example Done.');
  });

  it('and parts that a search in the page opens, but no hidden ones', () => {
    const html = `<title>H</title><main><p>Before.</p><div hidden="until-found"><p>Opened by a search in the page.</p></div>
      <div style="display:none">secret menu</div><p style="color:red; visibility : hidden">unseen</p></main>`;
    expect(textOf(html)).toBe('H Before. Opened by a search in the page.');
  });

  it('in a noscript, whose content a script would show in its place', () => {
    const html = `<title>Gauges</title><body>${NAVIGATION}<div class="post"><h1>Gauges</h1><noscript>${paragraphs('gauge', 5)}</noscript></div>`;
    expect(htmlOf(html)).toMatch(/<h1>Gauges<\/h1><div><p>In year 1850/);
  });

  it('that a script shows, if nearly all of the page is hidden', () => {
    const html = `<title>App</title><body style="visibility:hidden"><div id="app" style="display:none"><h1>App</h1>${paragraphs('app', 4)}</div>`;
    expect(textOf(html)).toMatch(/^App In year 1850/);
  });
});

describe('the main content leaves out', () => {
  const page = `<title>The gauge of Brest | The harbour</title><body>${NAVIGATION}<main><article><h1>The gauge of Brest</h1>
    <p class="byline">By <a href="/authors/anna">Anna Example</a></p><ul class="share-buttons">${links('Facebook Twitter WhatsApp')}</ul>
    ${paragraphs('gauge', 5)}<div class="related-posts"><h3>Read also</h3><ul>${links('Storms Moon Charts')}</ul></div>${paragraphs('tide', 3)}</article>
    <section class="comments"><h2>2 comments</h2><form><textarea></textarea><button>Send</button></form></section></main>
    <aside class="sidebar"><h3>Most read</h3><ul>${links('One Two Three Four')}</ul></aside>${FOOTER}`;

  it('parts beside an article: navigation, share bars, links to others, side bars and footers', () => {
    const text = textOf(page)!;
    expect(text).toMatch(/^The gauge of Brest /);
    expect(text).toContain(prose('gauge 4', 3));
    expect(text).toContain(prose('tide 2', 3));
    for (const word of ['Boats', 'Facebook', 'Storms', 'Send', 'Most read', 'Privacy', '©'])
      expect(text).not.toContain(word);
  });

  it('pictures that are links of a bar', () => {
    const bar =
      '<div class="spirit-nav"><a href="/p"><img src="/prev.png" alt="Prev"></a><a href="/n"><img src="/next.png" alt="Next"></a></div>';
    const html = `<title>Gauges</title><body>${bar}<h1>Gauges</h1>${paragraphs('gauge', 3)}${bar}`;
    expect(htmlOf(html)).not.toContain('.png');
  });

  it('no word of a line, whatever the class of its element is', () => {
    const html = `<title>Gauges</title><body><h1>Gauges</h1><p>Winds, <span class="search">storms</span> and tides. ${prose('gauge', 3)}</p>`;
    expect(textOf(html)).toContain('Winds, storms and tides.');
  });

  it('captions of pictures, unless a setting keeps them', () => {
    const figure =
      '<figure><img src="/g.jpg" alt="A gauge by the quay in winter"><figcaption>A gauge by the quay in winter</figcaption></figure>';
    const html = `<title>Gauges</title><main><h1>Gauges</h1>${paragraphs('gauge', 3)}${figure}${paragraphs('tide', 3)}</main>`;
    expect(htmlOf(html)).toContain('src="http://a.com/g.jpg"');
    expect(htmlOf(html)).not.toContain('by the quay');
    expect(textOf(html, true)).toContain('A gauge by the quay in winter');
  });

  it('the heading of a part that is left out', () => {
    const html = `<title>Gauges</title><main><h1>Gauges</h1>${paragraphs('gauge', 4)}<h2>About</h2>${paragraphs('keeper', 2)}
      <div class="related"><h2>Related stories</h2><ul>${links('Storms Moon Charts Boats Nets Ropes')}</ul></div></main>`;
    expect(textOf(html)).toContain(' About In year');
    expect(textOf(html)).not.toContain('Related stories');
  });
});

describe('the main content keeps', () => {
  const items = [
    'Rope',
    'Two long nails of iron, and a hammer.',
    'Tar',
    'A board of oak, as wide as a hand, planed on one side.',
    '3 m of chain',
  ];
  const within = (inner: string): string =>
    `<title>A gauge of wood | The harbour</title><body>${NAVIGATION}<div class="content"><h1>A gauge of wood</h1>${paragraphs('board', 2)}${inner}${paragraphs('gauge', 2)}</div>${FOOTER}`;

  it.each([
    ['a list', `<ul>${items.map((item) => `<li>${item}</li>`).join('')}</ul>`],
    ['a table', `<table>${items.map((item, i) => `<tr><td>${i + 1}</td><td>${item}</td></tr>`).join('')}</table>`],
    ['a list of terms', `<dl>${items.map((item, i) => `<dt>Part ${i + 1}</dt><dd>${item}</dd>`).join('')}</dl>`],
  ])('%s in the text', (_, html) => {
    for (const item of items) expect(textOf(within(html))).toContain(item);
  });

  it('the heading that is the title of the page', () => {
    expect(textOf(within(''))).toMatch(/^A gauge of wood In year/);
  });
});

/** A page of a manual, as its generator marks it. */
const manual = (body: string): string =>
  `<title>Gauges</title><meta name="generator" content="Docutils 0.19"><body><main><h1>Gauges</h1>${paragraphs('gauge', 2)}${body}</main>`;

describe('the name of an element', () => {
  it.each([
    ['the id of a section is made of its heading', '<section id="disable-cookies"><h2>Disable cookies</h2>'],
    ['the id of a section has one word of its heading', '<section id="search"><h2>Search and filters</h2>'],
    ['the id is that of a heading', '<section><h2 id="share">Share</h2>'],
    ['the id is that of a term', '<dl><dt id="SESSION_COOKIE_NAME">SESSION_COOKIE_NAME</dt></dl><section>'],
    ['the id is that of a paragraph', '<p id="menu">The menu is below.</p><section>'],
  ])('is no name of navigation in a manual if %s', (_, start) => {
    const html = `${start}<p>Do this if the gauge is old.</p></section>`;
    const text = html
      .replace(/<[^>]*>/g, ' ')
      .trim()
      .replace(/\s+/g, ' ');
    expect(textOf(manual(html))).toContain(` ${text}`);
  });

  it.each(['Find', '★', 'S'])('is its id in a manual if the heading has not the word: %s', (heading) => {
    const text = textOf(manual(`<div id="search"><h2>${heading}</h2><p>Type a word.</p></div>`));
    expect(text).toMatch(/what he saw\.$/);
  });

  it('does not hide the section of an article whose heading has the same word', () => {
    const section = `<div class="section" id="comments"><h2>Comments</h2><p>${prose('remark', 2)}</p></div>`;
    const html = `<title>Gauges</title><body>${NAVIGATION}<main><h1>Gauges</h1>${paragraphs('gauge', 2)}${section}${paragraphs('tide', 2)}</main>${FOOTER}`;
    expect(textOf(html)).toContain('Comments In year 1850, the remark');
  });
});

describe('a manual', () => {
  it.each([
    ['class="footnote brackets" role="doc-footnote"', 'a footnote'],
    ['class="admonition warning"', 'an admonition'],
    ['class="topic"', 'a topic'],
    ['role="note"', 'a note'],
  ])('keeps an aside with %s', (attributes, text) => {
    expect(textOf(manual(`<aside ${attributes}><p>This is ${text}.</p></aside>`))).toContain(`This is ${text}.`);
  });

  it('drops an aside that is no footnote, admonition, topic or note', () => {
    expect(textOf(manual('<aside class="ad"><p>Buy a gauge.</p></aside>'))).not.toContain('Buy');
  });

  const chapters = `<ol>${links(Array.from({ length: 200 }, (_, i) => `Chapter-${i}`).join(' '))}</ol>`;

  it('has no menu that is longer than its text', () => {
    expect(textOf(manual('').replace('<main>', `<div class="sidebar">${chapters}</div><main>`))).toMatch(
      /^Gauges In year/,
    );
    const short = `<meta name="generator" content="mdBook"><body><nav>${chapters}</nav><div><h1>Gauges</h1><p>Read the zero mark first.</p></div>`;
    expect(textOf(short)).toBe('Gauges Read the zero mark first.');
  });

  it('is recognized by its code beside a menu of any length', () => {
    const see = `<h2>See also</h2><ul>${links('Storms Moon Charts Boats Nets Ropes')}</ul>`;
    const html = `<title>Gauges</title><body><nav>${chapters}</nav><main><h1>Gauges</h1>${paragraphs('gauge', 2)}<pre>gauge --read --all-of-the-marks --from the-zero-mark</pre><pre>gauge --help</pre>${see}</main>`;
    expect(textOf(html)).toMatch(/ gauge --help See also Storms Moon Charts Boats Nets Ropes$/);
  });

  it('has tables and summaries with the name "related"', () => {
    const table =
      '<table class="related"><tr><th>Related modules</th><th>Related commands</th></tr><tr><td><a href="/a">gauge_read</a></td><td><a href="/b">ReadGauge</a></td></tr></table>';
    const summary =
      '<div id="related-package-summary"><div class="caption">Related Packages</div><p><a href="/c">gauge.zero</a></p></div>';
    expect(textOf(manual(table))).toContain('Related modules Related commands gauge_read ReadGauge');
    expect(textOf(manual(summary))).toContain('Related Packages gauge.zero');
    expect(textOf(manual('<div class="related"><a href="/d">next</a></div>'))).not.toContain('next');
  });
});

describe('an article with much code', () => {
  it.each(['comments', 'related-posts', 'share'])('is no manual if it has an element with the name %s', (name) => {
    const code = Array.from({ length: 20 }, (_, i) => `read(gauge${i});`).join('\n');
    const beside = `<div class="${name}"><h3>Storms</h3><p><a href="/storm">Read about storms</a></p></div>`;
    const html = `<title>Gauges</title><body>${NAVIGATION}<div class="post"><h1>Gauges</h1>${paragraphs('gauge', 3)}<pre>${code}</pre>${paragraphs('tide', 3)}</div>${beside}${FOOTER}`;
    expect(textOf(html)).toContain('read(gauge19);');
    expect(textOf(html)).not.toContain('storms');
  });
});

describe('an article', () => {
  const article = (inner: string): string =>
    `<title>Gauges</title><body>${NAVIGATION}<main><article><h1>Gauges</h1>${paragraphs('gauge', 2)}${inner}</article></main>${FOOTER}`;

  it.each([
    ['with a link in brackets', '<h2><b>History</b> <span>[<a href="/e">edit</a>]</span></h2>'],
    [
      'with a link in brackets in elements',
      '<h2>History<span><i>[</i><a href="/e"><b>edit</b></a><i>]</i></span></h2>',
    ],
    ['beside a link', '<div class="x"><h2>History</h2><a href="/e">edit</a></div>'],
    ['beside a link in brackets', '<div><h2>History</h2><span>[<a href="/e"><span>edit</span></a>]</span></div>'],
    ['in a button', '<h2><button aria-expanded="false">History</button></h2>'],
    ['in a button in a wrapper', '<h2><span><button>History</button></span></h2>'],
    ['beside a button', '<h2>History <button>Copy link</button></h2>'],
    ['in a button of a summary', '<details open><summary><button>History</button></summary></details>'],
  ])('has a heading %s', (_, heading) => {
    expect(textOf(article(`${heading}${paragraphs('tide', 2)}`))).toMatch(/ saw\. History In year 1850, the tide/);
  });

  const TEA =
    '<p>The kettle on the stove holds two litres of water, and it takes about nine minutes until the water boils.</p><p>Once it boils, take it from the flame, wait for a minute, and pour it slowly over the leaves, so that they open.</p>';
  /** Two sections. The last one has other content than the first one. */
  const sections = (last: string): string =>
    `<title>Tea</title><main><h1>Tea</h1><div class="s"><h2>First</h2>${TEA}</div><div class="s"><h2>Second</h2>${last}</div></main><div id="footer"><p>Copyright 2026 The House.</p></div>`;

  it.each([
    [
      'a table whose heads are links',
      '<table><tr><th><a href="d#D">Description:</a></th><td>Removes variables from the environment</td></tr><tr><th><a href="d#D">Syntax:</a></th><td><code>UnsetEnv name</code></td></tr></table>',
    ],
    ['a table of short cells', '<table><tr><th>Pot<th>Minutes<tr><td>iron<td>9<tr><td>clay<td>14</table>'],
  ])('has its last section with %s', (_, table) => {
    const text = textOf(
      sections(`${table}<p>Removes one or more internal environment variables from those passed on to scripts.</p>`),
    );
    expect(text).toMatch(/ Second (Description: Removes|Pot Minutes iron 9) .* Removes one or more/);
  });

  it('has the code of its last section, even if it is one line', () => {
    const last = '<p>After four minutes the colour is that of old copper. Serve the tea in warm cups.</p>';
    expect(textOf(sections(`${last}<pre>SetEnv TEA /pot</pre>`))).toMatch(/ warm cups\. SetEnv TEA \/pot$/);
  });
});

describe('the heading that names the page', () => {
  const page = (title: string, body: string, head = ''): string => `<title>${title}</title>${head}<body>${body}`;
  const content = `<p>${prose('tide', 3)}</p>`;

  it.each([
    ['is the title without the name of the site', page('Tides of Brest – The harbour', `<main>${content}</main>`)],
    ['is the title if the site has no name', page('Tides of Brest', `<main>${content}</main>`)],
    [
      'is the title without the name of the site in front of it',
      page('The harbour | Tides of Brest', content, '<meta property="og:site_name" content="The harbour">'),
    ],
    [
      'is the h1 of a manual, even if it is outside of the main element',
      page(
        'Tides of Brest',
        `<h1>Tides of Brest</h1><main>${content}</main>`,
        '<meta name="generator" content="mdBook">',
      ),
    ],
    [
      'is not the h1 with a link to the site',
      page('Tides of Brest – The harbour', `<h1><a href="/">The harbour</a></h1><h1>Tides of Brest</h1>${content}`),
    ],
    [
      'is a lower heading if the h1 is a link to the site',
      page('Tides of Brest – The harbour', `<h1><a href="/">The harbour</a></h1><h2>Tides of Brest</h2>${content}`),
    ],
    [
      'is the last h1 of the title, even if it is a link to itself',
      page(
        'Tides of Brest – The harbour',
        `<h1>The harbour</h1><main><h1><a href="#t">Tides of Brest</a></h1>${content}</main>`,
        '<meta name="generator" content="mdBook">',
      ),
    ],
    [
      'is not added to a lower heading with spaces of another kind',
      page('Tides&nbsp;of Brest', `<main><h2>Tides of&nbsp;Brest</h2>${content}</main>`),
    ],
    [
      'is not added to a line with the same text',
      page('Tides of Brest', `<main><div>Tides of Brest</div>${content}</main>`),
    ],
  ])('%s', (_, html) => {
    expect(textOf(html)?.replace(/&nbsp;/g, ' ')).toMatch(/^Tides of Brest In year/);
  });
});

describe('pages that are no articles', () => {
  it('a recipe has its ingredients and steps', () => {
    const html = `<title>Fish soup | Cooking by the sea</title><body>${NAVIGATION}<div class="recipe"><h1>Fish soup</h1>
      <p>This soup is cooked in every house of the harbour, mostly on Fridays, and it takes half an hour.</p>
      <h2>Ingredients</h2><ul class="ingredients"><li>500 g cod</li><li>2 onions</li><li>1 l water</li><li>salt</li></ul>
      <h2>Preparation</h2><ol><li>Cut the onions into small pieces, and fry them.</li><li>Add the water, and let it boil for ten minutes.</li>
      <li>Add the fish, wait for five more minutes, and serve.</li></ol></div>
      <div class="sidebar"><h3>More recipes</h3><ul>${links('Bread Cake Salad')}</ul></div>${FOOTER}`;
    const text = textOf(html)!;
    for (const part of ['500 g cod', '2 onions', 'salt', 'Cut the onions', 'serve.']) expect(text).toContain(part);
    for (const word of ['Bread', 'Tides', 'Privacy']) expect(text).not.toContain(word);
  });

  it('a forum has the question and the answers', () => {
    const post = (name: string, text: string): string =>
      `<div class="post"><div class="author">${name}</div><div class="post-body"><p>${text}</p></div><a class="reply-button" href="#">Reply</a></div>`;
    const html = `<title>How do I read a gauge? - Forum of the harbour</title><body>${NAVIGATION}<div class="topic"><h1>How do I read a gauge?</h1>
      ${post('anna', 'I have an old gauge of wood. How do I read it, and which mark is the zero?')}
      ${post('ben', prose('old gauge', 3))}${post('carl', prose('zero mark', 4))}${post('dora', prose('wooden board', 3))}</div>${FOOTER}`;
    const text = textOf(html)!;
    expect(text).toContain('which mark is the zero?');
    for (const thing of ['old gauge', 'zero mark', 'wooden board']) expect(text).toContain(prose(thing, 3));
    expect(text).not.toContain('Privacy');
  });

  it('a product has its description and its data', () => {
    const html = `<title>Gauge G5 – The harbour shop</title><body>${NAVIGATION}<div class="product"><h1>Gauge G5</h1><div class="price">€ 249.00</div>
      <button>Add to cart</button><div class="description"><p>${prose('gauge G5', 2)}</p></div><h2>Data</h2><table class="specs"><tr><th>Length</th><td>3 m</td></tr>
      <tr><th>Weight</th><td>12 kg</td></tr><tr><th>Material</th><td>Oak</td></tr></table></div>
      <div class="related-products"><h2>Others bought</h2><ul>${links('Rope Lamp Anchor Chain')}</ul></div>${FOOTER}`;
    const text = textOf(html)!;
    for (const part of ['Gauge G5', prose('gauge G5', 2), '12 kg', 'Oak']) expect(text).toContain(part);
    for (const word of ['Add to cart', 'Anchor', 'Privacy']) expect(text).not.toContain(word);
  });

  it('a page of links has its links', () => {
    const entries = Array.from(
      { length: 20 },
      (_, i) => `<li><a href="/c/${i}">Chapter ${i}: of gauges and tides</a></li>`,
    );
    const html = `<title>Contents</title><body>${NAVIGATION}<main><h1>Contents</h1><ul>${entries.join('')}</ul></main>${FOOTER}`;
    expect(textOf(html)).toMatch(/^Contents Chapter 0: of .* Chapter 19: of gauges and tides$/);
  });

  it('an index has its links, and the notes between them', () => {
    const entries = Array.from(
      { length: 40 },
      (_, i) => `<tr><td><a href="/t/${i}">tide${i}()</a> (in module harbour)</td></tr>`,
    );
    const html = `<title>Index</title><body>${NAVIGATION}<div role="main"><h1>Index</h1><h2>T</h2><table class="index">${entries.join('')}</table></div>${FOOTER}`;
    expect(textOf(html)).toMatch(/^Index T tide0\(\) \(in module harbour\) .* tide39\(\) \(in module harbour\)$/);
  });

  it('a short page of a manual has its text without a longer notice below it', () => {
    const notice =
      'Copyright 2020 by the keepers of the harbour, under the licence of the sea, of which a copy is here.';
    const html = `<title>Gauge</title><meta name="generator" content="DocBook"><body><div><h1>Gauge</h1><pre>int gauge;</pre></div>
      <table><tr><td></td><td><div class="copyright-footer">${notice}</div></td></tr></table>`;
    expect(textOf(html)).toBe('Gauge int gauge;');
  });

  it.each([
    ['navigation alone', '<nav><a href="/">Home</a></nav>', 'Home'],
    ['hidden text alone', '<div hidden>Later</div>', 'Later'],
    ['one word', 'Hello', 'Hello'],
    ['a picture with a caption', '<figure><img src="/a.png"><figcaption>The quay</figcaption></figure>', 'The quay'],
  ])('a page of %s is never empty', (_, html, text) => {
    expect(textOf(html)).toBe(text);
  });

  it('a page without text has none', () => {
    expect(htmlOf('<body><script>let a = 1;</script><img src="/a.png">')).toBeUndefined();
  });
});

describe('a hostile page', () => {
  const many = (html: string, count = 15_000): string => html.repeat(count);

  it.each([
    ['blocks', many('<p>a, b.')],
    ['headings', many('<h2>a')],
    ['lists in one another', many('<ul><li>a')],
    ['tables', many('<table><tr><td>a</table>', 10_000)],
    ['captions', many('<figure><img src=a><figcaption>a</figcaption></figure>')],
    ['links of one block', many('<a href=a>a</a> ')],
    ['texts of one block', many('a<i></i>')],
    ['one word', many('a', 2_000_000)],
    ['white space', `a${many(' ', 2_000_000)}b`],
    ['class names', Array.from({ length: 15_000 }, (_, i) => `<p class="nav${i} sidebar ${i}">a`).join('')],
    ['one long class name', `<p class="${many('nav-', 500_000)}">a`],
    ['first words', many(`<p>${many('by a ', 20)}`)],
    ['headings and a long title', `<title>${many('q', 1_000_000)}</title>${many('<h2>qqa</h2>', 45_000)}`],
    ['formulas', `<p>${many('<math alttext="a"><mi>a</mi></math>', 45_000)}`],
    ['formulas with scripts', `<p>${many('<script type="math/tex">a</script>', 90_000)}`],
    ['the start of comments in TeX', `<p>a<script type="math/tex">${many('%', 1_000_000)}</script>`],
  ])('is read in one pass: %s', (_, html) => {
    expect(textOf(`<body>${html}`, true)).toContain('a');
  });

  it('may have text at any depth, in sibling elements', () => {
    const [first, second] = [prose('gauge', 3), prose('clock', 3)];
    const html = `${many('<div>', 300)}<p>${first}</p><p class="x">${second} <b>once</b> more</p>`;
    expect(textOf(html)).toBe(`${first} ${second} once more`);
    expect(htmlOf(html)).toContain(`<p class="x">${second} </p><b>once</b><p class="x"> more</p>`);
    expect(textOf(`${many('<div>', 90_000)}deep`)).toBe('deep');
    const inPicture = `<pre>${many('<span>', 300)}code<svg>${many('<g>', 80_000)}<text>drawn`;
    expect(textOf(inPicture)).toBe('code');
  });

  it('has its class names read up to 400 characters', () => {
    const classed = (name: string): number =>
      new ClassWords().of({ attrs: [{ name: 'class', value: name }] } as Parameters<ClassWords['of']>[0]);
    expect(classed(`${'x'.repeat(380)} sidebar`)).toBe(FAMILY.sidebar);
    expect(classed(`${'x'.repeat(400)} sidebar`)).toBe(0);
  });
});

describe('the constants of the verdict', () => {
  it('are at most 15 kB, and name existing features', () => {
    expect(statSync(join(ROOT, 'packages/parse/html/main/model.ts')).size).toBeLessThanOrEqual(15_000);
    expect(
      FIRST.join(' ')
        .split(' ')
        .filter((_, i) => i % 2 === 0),
    ).toEqual(Object.keys(FEATURES));
    expect(SECOND.join(' ').split(' ')).toEqual(Object.keys(NEIGHBOUR_FEATURES));
  });
});
