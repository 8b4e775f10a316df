import type { FakePage } from '../../../packages/webcrawl/testing/fake-web.js';

/** A planted finding: `<rule> <url>`, with `~` before it if it is not open. */
export type Planted = string;

/** A web with named faults, and with things that look like faults but are none. */
export interface PlantedSite {
  readonly pages: Record<string, FakePage | string>;
  readonly seeds: readonly string[];
  readonly faults: readonly Planted[];
  /** Names of things that look like faults but are none. */
  readonly innocent: readonly string[];
}

export const SITE = 'https://site.example';
const LOREM =
  'The garden behind the old house has many paths and each of them leads to a different tree that was planted by someone who lived here long ago ' +
  'and whose name is written on a small stone below it so that nobody forgets who they were and what they liked to read in summer';

/** A page with a title, a description and text of its own. */
export function page(name: string, body = '', head = ''): string {
  const words = Array.from({ length: 30 }, (_, i) => `${name.replace(/\W/g, '')}${i}`).join(' ');
  return (
    `<!doctype html><html lang="en"><head><title>Title of ${name}</title><meta name="description" content="About ${name}">${head}</head>` +
    `<body><main><h1>Heading ${name}</h1><p>${LOREM} ${words}</p>${body}</main></body></html>`
  );
}

const a = (href: string, text = 'link', more = ''): string => `<a href="${href}"${more}>${text}</a>`;

/** Collects a site part by part. Each part is linked from the home page by default. */
class SiteBuilder {
  readonly pages: Record<string, FakePage | string> = {};
  readonly faults: Planted[] = [];
  readonly innocent: string[] = [];
  readonly home: string[] = [];
  readonly listed: { url: string; lastmod?: string }[] = [];
  readonly robots: string[] = [];

  /** A page with a link from the home page, listed in the sitemap. */
  add(path: string, answer: FakePage | string, { linked = true, listed = true } = {}): string {
    const url = path.startsWith('http') ? path : SITE + path;
    this.pages[url] = answer;
    if (linked) this.home.push(a(url, `to ${path}`));
    if (listed) this.listed.push({ url });
    return url;
  }

  fault(rule: string, pathOrUrl: string): void {
    this.faults.push(`${rule} ${pathOrUrl.startsWith('/') ? SITE + pathOrUrl : pathOrUrl}`);
  }

  unverified(rule: string, path: string): void {
    this.faults.push(`~${rule} ${SITE}${path}`);
  }

  fine(what: string): void {
    this.innocent.push(what);
  }

  build(): PlantedSite {
    const entries = this.listed.map(
      ({ url, lastmod }) =>
        `<url><loc>${url.replaceAll('&', '&amp;')}</loc>${lastmod ? `<lastmod>${lastmod}</lastmod>` : ''}</url>`,
    );
    this.pages[`${SITE}/`] = page('home', this.home.join('\n'));
    this.pages[`${SITE}/sitemap.xml`] = {
      html: `<?xml version="1.0"?><urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>${SITE}/</loc></url>${entries.join('')}</urlset>`,
      contentType: 'application/xml',
    };
    this.pages[`${SITE}/robots.txt`] = {
      html: ['User-agent: *', ...this.robots, `Sitemap: ${SITE}/sitemap.xml`].join('\n'),
      contentType: 'text/plain',
    };
    return { pages: this.pages, seeds: [`${SITE}/`], faults: this.faults, innocent: this.innocent };
  }
}

/** All faults that the table alone shows, and things that look like them. */
export function plantedSite(): PlantedSite {
  const site = new SiteBuilder();
  plantLinks(site);
  plantFragments(site);
  plantRedirects(site);
  plantCanonicals(site);
  plantLanguages(site);
  plantTitles(site);
  plantIndexing(site);
  plantSecurity(site);
  plantSitemap(site);
  plantOthers(site);
  return site.build();
}

/** A site whose server refuses crawlers for some pages and fails for others: the audit may claim nothing about pages without inlinks. */
export function troubledSite(): PlantedSite {
  const site = new SiteBuilder();
  plantTrouble(site);
  site.add('/orphan', page('orphan'), { linked: false });
  site.unverified('sitemap-orphan', '/orphan');
  return site.build();
}

function plantLinks(site: SiteBuilder): void {
  site.home.push(a('/lost', 'lost'), a('/lost-410', 'gone'), a('/bad-request', 'bad'), a('/teapot', 'tea'));
  site.add('/lost-410', { status: 410 }, { linked: false, listed: false });
  site.add('/bad-request', { status: 400 }, { linked: false, listed: false });
  site.add('/teapot', { status: 418 }, { linked: false, listed: false });
  for (const path of ['/lost', '/lost-410', '/bad-request', '/teapot']) site.fault('link-broken', path);
  site.add('/footer-a', page('footer a', a('/lost-footer', 'dead footer')));
  site.add('/footer-b', page('footer b', a('/lost-footer', 'dead footer')));
  site.add('/footer-c', page('footer c', a('/lost-footer#part', 'dead footer')));
  site.fault('link-broken', '/lost-footer');
  site.add(
    '/area',
    page('area', '<map name="m"><area href="/lost-area" alt="x"></map><iframe src="/lost-frame" title="x"></iframe>'),
  );
  site.fault('link-broken', '/lost-area');
  site.fault('link-broken', '/lost-frame');
  site.add('/quotes', page('quotes', '<blockquote cite="/lost-cite">q</blockquote>'));
  site.add('/space', page('space', `${a('/a b', 'space')} ${a('/ü', 'umlaut')} ${a(' /padded ', 'padded')}`));
  site.add('/a%20b', page('a b'), { linked: false });
  site.add('/%C3%BC', page('umlaut'), { linked: false });
  site.add('/padded', page('padded'), { linked: false });
  site.fine('a blank and a letter beyond ASCII in a path, blanks around an address');
  site.add('/based/', page('based', a('there', 'relative'), '<base href="/sub/">'));
  site.add('/sub/there', page('there'), { linked: false });
  site.fine('a relative link on a page with a base');
  const schemes =
    'mailto:a@b.example tel:+123 sms:+123 javascript:void(0) data:text/plain,x blob:x about:blank magnet:?x ftp://x.example/'.split(
      ' ',
    );
  site.add('/schemes', page('schemes', [...schemes, ''].map((href) => a(href, 'x')).join(' ') + '<a>none</a>'));
  site.fine('schemes that no crawler asks, an empty and a missing address');
  site.add(
    '/hidden',
    page(
      'hidden',
      `<!-- ${a('/lost-in-comment')} --><template>${a('/lost-in-template')}</template><img data-src="/lost-lazy" alt="">`,
    ),
  );
  site.fine('links in a comment, in a template, in data-src');
  const bad = [
    'htp://site.example/x',
    'https://https://site.example/x',
    'http://[bad',
    'https://undefined/x',
    '/{{ url }}',
    '/%7B%7Burl%7D%7D',
    '/<%= url %>',
  ];
  site.add('/malformed', page('malformed', bad.map((href) => a(href, 'x')).join(' ')));
  for (const href of bad) site.faults.push(`link-malformed ${href}`);
  site.add('http://site.example/plain/a', page('plain a'), { linked: false, listed: false });
  site.add('https://site.example/plain/a', page('secure a'), { linked: false });
  site.home.push(a('http://site.example/plain/a', 'plain'), a('https://site.example/plain/a', 'secure'));
  site.faults.push('link-insecure http://site.example/plain/');
  const local = ['http://localhost:3000/', 'http://192.168.0.7/x', 'https://shop.test/'];
  site.add('/local', page('local', local.map((href) => a(href, 'our shop')).join(' ')));
  for (const href of local) site.fault('link-local', href);
  const shown = 'http://localhost:8080/';
  site.add(
    '/manual',
    page('manual', `${a(shown, shown)} ${a('https://test.example/', 'x')} ${a('http://9.9.9.9/', 'x')}`),
  );
  site.fine('a local address that a manual shows, and public ones that look like local ones');
  site.add('http://site.example/only/b', page('only b'), { linked: true, listed: false });
  site.fine('a page that https does not serve');
}

/** Answers that tell nothing about the page, and servers that fail. */
function plantTrouble(site: SiteBuilder): void {
  for (const status of [401, 402, 403, 405, 406, 407, 408, 421, 425, 429, 430, 451, 999, 520, 530]) {
    site.add(`/s${status}`, { status: status }, { listed: false });
    site.unverified('link-broken', `/s${status}`);
    site.fine(`status ${status}`);
  }
  site.add('/server-error', { status: 500 }, { listed: false });
  site.fault('link-server-error', '/server-error');
  site.add('/to-error', { location: '/server-error', status: 301 }, { listed: false });
  site.fault('redirect-broken', '/to-error');
  site.add('/not-there', { status: 503 }, { listed: false });
  site.fault('link-server-error', '/not-there');
}

function plantFragments(site: SiteBuilder): void {
  const target = page(
    'target',
    '<h2 id="one">1</h2><h2 id="Über uns">2</h2><a name="old"></a><p id="user-content-git">g</p><p id="three">3</p>',
  );
  site.add('/target', target);
  const good = [
    '#one',
    '#%C3%9Cber%20uns',
    '#Über uns',
    '#old',
    '#git',
    '#',
    '#top',
    '#TOP',
    '#:~:text=garden',
    '#one:~:text=x',
    '#three',
  ];
  site.add('/good-fragments', page('good fragments', good.map((hash) => a(`/target${hash}`, 'x')).join(' ')));
  for (const hash of good) site.fine(`fragment ${hash}`);
  const missing = ['#two', '#One', '#three%20'];
  site.add('/missing-fragments', page('missing fragments', missing.map((hash) => a(`/target${hash}`, 'x')).join(' ')));
  site.fault('fragment-missing', '/target#two');
  site.fault('fragment-missing', '/target#One');
  site.fault('fragment-missing', '/target#three%20');
  site.add('/own', page('own', `${a('#nowhere', 'x')} ${a('#here', 'y')}<p id="here">`));
  site.fault('fragment-missing', '/own#nowhere');
  site.add('/moved-target', { location: '/target', status: 302 }, { linked: false, listed: false });
  site.home.push(a('/moved-target#gone-part', 'x'), a('/moved-target#one', 'x'));
  site.fault('fragment-missing', '/moved-target#gone-part');
  site.add('/moved-part', { location: '/target#one', status: 302 }, { linked: false, listed: false });
  site.home.push(a('/moved-part#whatever', 'x'));
  site.fine('a redirect whose address has a fragment');
  site.add('/app', page('app', '<div id="root"></div><script src="data:text/javascript,1"></script>'));
  site.home.push(a('/app#made', 'x'));
  site.fault('fragment-missing', '/app');
  site.add('/scripted', page('scripted', '<p id="a"></p><p id="b"></p><p id="c"></p><script>1</script>'));
  site.home.push(a('/scripted#/route', 'x'), a('/scripted#state=1', 'x'), a('/scripted#L10-L20', 'x'));
  site.fault('fragment-missing', '/scripted');
  site.add('/source', page('source', '<p id="10"></p><p id="11"></p><p id="12"></p><script>1</script>'));
  site.home.push(a('/source#10-12', 'x'), a('/target#10-12', 'x'));
  site.fault('fragment-missing', '/source');
  site.fault('fragment-missing', '/target#10-12');
  // Most of the places that links ask for are there: those of its own table of contents.
  const places = ['a', 'b', 'c', 'd', 'e', 'f'];
  const toc = places.map((id) => `${a(`#${id}`, id)}<p id="${id}"></p>`).join('');
  site.add('/contents', page('contents', `${toc}<script>1</script>`));
  for (const id of ['v', 'w', 'x', 'y', 'z']) {
    site.home.push(a(`/contents#${id}`, id));
    site.fault('fragment-missing', `/contents#${id}`);
  }
  site.add('/text.txt', { html: 'Some text of a file that is long enough to be text.', contentType: 'text/plain' });
  site.home.push(a('/text.txt#page=2', 'x'));
  site.fine('a fragment of a text');
  site.home.push(a('/lost#part', 'x'));
  site.fine('a fragment of a page that is not there');
  const long = 'Очень длинный заголовок раздела, какие бывают в руководствах на русском языке';
  site.add('/long', page('long', `<h2 id="${long}">x</h2>`));
  site.home.push(a(`/long#${long}`, 'x'), a(`/long#${'x'.repeat(2000)}`, 'x'));
  site.fine('a fragment of many letters that are percent-encoded, and one beyond all measure');
  site.home.push(a('/target#five', 'x'), a('/target#five:~:text=garden', 'x'));
  site.fault('fragment-missing', '/target#five');
  site.fine('a fragment that is missing with a text fragment too is one fault');
}

function plantRedirects(site: SiteBuilder): void {
  const { home } = site;
  site.add('/new', page('new'), { linked: true });
  site.add('/moved', { location: '/new', status: 301 }, { linked: false, listed: false });
  site.add('/moved-308', { location: '/new', status: 308 }, { linked: false, listed: false });
  home.push(a('/moved'), a('/moved-308'));
  site.fault('redirect-link', '/moved');
  site.fault('redirect-link', '/moved-308');
  for (const status of [302, 303, 307]) {
    site.add(`/for-now-${status}`, { location: '/new', status }, { linked: false, listed: false });
    home.push(a(`/for-now-${status}`));
    site.fine(`a redirect for now, ${status}`);
  }
  site.add('/hop1', { location: '/hop2', status: 302 }, { linked: false, listed: false });
  site.add('/hop2', { location: '/hop3', status: 302 }, { linked: false, listed: false });
  site.add('/hop3', { location: '/new', status: 302 }, { linked: false, listed: false });
  home.push(a('/hop1'));
  site.fault('redirect-chain', '/hop1');
  site.fine('the second redirect of a chain, which no page links to');
  site.add('/perm1', { location: '/moved', status: 301 }, { linked: false, listed: false });
  home.push(a('/perm1'));
  site.fault('redirect-chain', '/perm1');
  site.fault('redirect-link', '/perm1');
  site.add('/loop1', { location: '/loop2', status: 302 }, { linked: false, listed: false });
  site.add('/loop2', { location: '/loop1', status: 302 }, { linked: false, listed: false });
  home.push(a('/loop1'));
  site.fault('redirect-loop', '/loop1');
  site.add('/itself', { location: '/itself', status: 301 }, { linked: false, listed: false });
  home.push(a('/itself'));
  site.fault('redirect-loop', '/itself');
  site.add('/to-lost', { location: '/lost-behind', status: 301 }, { linked: false, listed: false });
  home.push(a('/to-lost'));
  site.fault('redirect-broken', '/to-lost');
}

function plantCanonicals(site: SiteBuilder): void {
  const canonical = (href: string): string => `<link rel="canonical" href="${href}">`;
  const naming = (name: string, href: string, more = ''): string =>
    site.add(`/c/${name}`, page(`c ${name}`, '', canonical(href) + more), { listed: false });
  naming('to-lost', '/c/lost');
  site.home.push(a('/c/lost'), a('/c/moved'));
  site.fault('link-broken', '/c/lost');
  site.fault('canonical-broken', '/c/lost');
  site.add('/c/moved', { location: '/c/self', status: 302 }, { linked: false, listed: false });
  naming('self', '/c/self');
  site.listed.push({ url: `${SITE}/c/self` });
  naming('to-moved', '/c/moved');
  site.fault('canonical-redirect', '/c/moved');
  naming('b', '/c/self');
  site.fine('a page that names another which names itself');
  naming('a', '/c/b');
  site.fault('canonical-chain', '/c/b');
  site.add('/c/noindex', page('c noindex', '', '<meta name="robots" content="noindex">'), { listed: false });
  naming('to-noindex', '/c/noindex');
  site.fault('canonical-noindex', '/c/noindex');
  naming('to-denied', '/denied/canonical');
  site.home.push(a('/denied/canonical'));
  site.fault('canonical-noindex', '/denied/canonical');
  naming('two', '/c/two', canonical('/c/self'));
  site.listed.push({ url: `${SITE}/c/two` });
  site.fault('canonical-multiple', '/c/two');
  site.add('/c/body', page('c body', canonical('/c/body')));
  site.fault('canonical-misplaced', '/c/body');
  for (const n of [1, 2, 3]) naming(`home-${n}`, '/');
  site.fault('canonical-home', '/');
  for (const n of [1, 2, 3]) {
    const url = `https://second.example/?n=${n}`;
    site.add(url, page(`second ${n}`, '', canonical('https://second.example/')), { listed: false });
  }
  site.fine('a home page with parameters that names itself');
  const hidden = '<meta name="robots" content="noindex">';
  naming('hidden', '/c/self', hidden);
  site.fault('noindex-conflict', '/c/hidden');
  naming('hidden-self', '/c/hidden-self', hidden);
  site.fine('a page with noindex that names itself');
  naming('twice', '/c/twice', canonical(`${SITE}/c/twice`));
  site.listed.push({ url: `${SITE}/c/twice` });
  naming('%C3%BC', '/c/%C3%BC', canonical('/c/%c3%bc'));
  site.listed.push({ url: `${SITE}/c/%c3%bc` });
  site.fine('the same canonical twice, also with escapes in small letters');
  site.add('/c/header', {
    html: page('c header', '', canonical('/c/header')),
    headers: { link: '</c/self>; rel="canonical"' },
  });
  site.fault('canonical-multiple', '/c/header');
  site.add('/c/preload', {
    html: page('c preload', '', canonical('/c/preload')),
    headers: { link: '</x.css>; rel=preload; as=style' },
  });
  site.fine('a Link header of another relation');
  site.add('/c/after', page('c after', '', canonical('/c/after')), { linked: false });
  site.add('/c/before', { location: '/c/after', status: 302 }, { linked: false, listed: false });
  site.home.push(a('/c/before'));
  site.fine('a canonical of the page to which a redirect led');
}

function plantLanguages(site: SiteBuilder): void {
  const versions = (list: Record<string, string>): string =>
    Object.entries(list)
      .map(([tag, href]) => `<link rel="alternate" hreflang="${tag}" href="${href}">`)
      .join('');
  const both = versions({ en: '/en/1', de: '/de/1', 'x-default': '/choose' });
  site.add('/en/1', page('en one', '', both));
  site.add('/de/1', page('de one', '', both));
  site.add('/choose', { location: '/en/1', status: 302 }, { listed: false });
  site.fault('hreflang-broken', '/choose');
  site.fine('versions that name each other');
  site.add('/en/2', page('en two', '', versions({ en: '/en/2', de: '/de/2' })));
  site.add('/de/2', page('de two', '', versions({ de: '/de/2' })));
  site.fault('hreflang-no-return', '/de/2');
  site.add('/en/3', {
    html: page('en three'),
    headers: { link: '</de/3>; rel=alternate; hreflang=de, </en/3>; rel=alternate; hreflang=en' },
  });
  site.add('/de/3', page('de three', '', versions({ de: '/de/3', en: '/en/3' })));
  site.fine('a version that is named by a header');
  site.add(
    '/en/4',
    page('en four', '', versions({ en: '/en/4', fr: '/fr/lost', es: '/es/moved', it: '/it/noindex', pt: '/pt/other' })),
  );
  site.add('/es/moved', { location: '/es/4', status: 302 }, { linked: false, listed: false });
  site.add('/es/4', page('es four'), { linked: true });
  site.add('/it/noindex', page('it four', '', '<meta name="robots" content="noindex">'), { listed: false });
  site.add('/pt/other', page('pt four', '', '<link rel="canonical" href="/en/4">'), { listed: false });
  site.home.push(a('/fr/lost', 'x', ' hreflang="fr"'), a('/es/moved'));
  site.fault('link-broken', '/fr/lost');
  for (const path of ['/fr/lost', '/es/moved', '/it/noindex', '/pt/other']) site.fault('hreflang-broken', path);
  site.add(
    '/en/5',
    page(
      'en five',
      '',
      versions({
        'en-UK': '/en/5',
        en_US: '/en/5',
        cn: '/en/5',
        'zh-Hant-TW': '/en/5',
        'EN-gb': '/en/5',
        'es-419': '/en/5',
      }),
    ),
  );
  site.fault('hreflang-invalid', '/en/5');
  site.fine('a script, a region of the UN and capitals in hreflang');
  site.add('/en/6', page('en six', '', versions({ en: '/en/6', de: '/de/6', DE: '/de/6b', En: '/en/6' })));
  site.add('/de/6', page('de six', '', versions({ en: '/en/6', de: '/de/6' })));
  site.add('/de/6b', page('de six b', '', versions({ en: '/en/6', de: '/de/6b' })));
  site.fault('hreflang-conflict', '/en/6');
  site.fine('one address twice for a language');
  site.add('/en/7', page('en seven', '', versions({ de: '/de/7' })));
  site.add('/de/7', page('de seven', '', versions({ de: '/de/7', en: '/en/7' })));
  site.fault('hreflang-no-self', '/en/7');
  const escaped = versions({ en: '/en/%c3%bc', EN: '/en/%C3%BC', de: '/de/%c3%bc' });
  site.add('/en/%C3%BC', page('en umlaut', '', escaped));
  site.add('/de/%C3%BC', page('de umlaut', '', escaped));
  site.fine('versions whose escapes have small letters');
  const regions = versions({ 'x-default': '/us/', 'en-US': '/us/', 'en-GB': '/gb/' });
  site.add('/us/', page('shop', '', regions));
  site.add('/gb/', page('shop', '', regions));
  site.fine('versions for two regions with the same text');
  const codes = 'fr es pt it nl sv fi pl sk hu ro bg ga is lt'.split(' ');
  const tags = codes.flatMap((language) => codes.map((region) => `${language}-${region}`));
  const many = Object.fromEntries(tags.map((tag) => [tag, `https://other.example/${tag}`]));
  site.add('/many/en', page('many en', '', versions({ ...many, en: '/many/en', de: '/many/de' })));
  site.add('/many/de', page('many de', '', versions({ en: '/many/en', de: '/many/de' })));
  site.fine('more versions than are stored');
  site.add('/to-many', page('to many', a('/many/en#lost')));
  site.fault('fragment-missing', '/many/en#lost');
}

function plantTitles(site: SiteBuilder): void {
  const untitled = page('untitled').replace(/<title>.*?<\/title>/, '');
  site.add('/untitled', untitled);
  site.fault('title-missing', '/untitled');
  site.add('/blank', page('blank').replace(/<title>.*?<\/title>/, '<title> </title>'));
  site.fault('title-missing', '/blank');
  site.add('/no-content', { status: 204 }, { listed: false });
  site.fine('an answer without content');
  site.add('/svg', page('svg').replace('<h1>', '<svg><title>Icon</title></svg><svg><title>Icon</title></svg><h1>'));
  site.fine('titles of svg');
  site.add('/same-1', page('same 1').replace('Title of same 1', 'The same title'));
  site.add('/same-2', page('same 2').replace('Title of same 2', ' The  SAME title'));
  site.fault('title-duplicate', '/same-1');
  site.add('/list', page('list').replace('Title of list', 'A list'));
  site.add('/list?page=2', page('list 2').replace('Title of list 2', 'A list'), { listed: false });
  site.fine('pages of a list with one title');
  site.add('/de/same', page('de same').replace('Title of de same', 'The same title').replace('lang="en"', 'lang="de"'));
  site.fine('one title in two languages');
  site.add(
    '/copy-title',
    page('copy title', '', '<link rel="canonical" href="/same-1">').replace('Title of copy title', 'The same title'),
    { listed: false },
  );
  site.fine('a page with the title of its canonical');
  site.add('/about-1', page('about 1').replace('About about 1', 'One description'));
  site.add('/about-2', page('about 2').replace('About about 2', 'One description'));
  site.fault('description-duplicate', '/about-1');
  for (const n of [1, 2, 3]) site.add(`/plain/p${n}`, page(`p${n}`).replace(/<meta name="description"[^>]*>/, ''));
  site.fault('description-missing', '/plain/');
}

function plantIndexing(site: SiteBuilder): void {
  site.add(
    '/oops',
    '<title>Page not found | Site</title><meta name="description" content="Oops"><h1>404</h1><p>Sorry, nothing is here.</p>',
    { listed: false },
  );
  site.fault('soft-404', '/oops');
  site.home.push(a('/oops#part', 'x'));
  site.fine('a fragment of a page that says that it is not there');
  site.add(
    '/guide-404',
    page('guide 404', 'How to fix errors: page not found is what readers see.').replace(
      'Title of guide 404',
      'How to design a page not found screen',
    ),
  );
  site.fine('a page that speaks of pages that are not found');
  const few = (title: string, head = ''): string =>
    `<html lang="en"><title>${title}</title><meta name="description" content="${title} x">${head}<h1>${title}</h1><p>${title}, in the old town.</p>`;
  site.add('/houses/404', few('404 Main Street'));
  site.fine('an address with the number 404');
  site.add('/checks', page('checks').replace('Title of checks', 'Security checks in builds'));
  site.home.push(a('/checks', 'x'));
  site.fine('a title that begins like that of a challenge');
  site.robots.push('Disallow: /denied/');
  site.home.push(a('/denied/1', 'x'), a('/denied/2', 'x'));
  site.fault('robots-blocked', '/');
  site.home.push(a('/denied/3', 'x', ' rel="nofollow"'));
  site.fine('a denied page with a nofollow link');
}

function plantSecurity(site: SiteBuilder): void {
  const http = 'http://plain.example';
  const parts = (name: string): string =>
    `<script src="${http}/${name}.js"></script><img src="${http}/${name}.png" alt=""><iframe src="${http}/${name}"></iframe>`;
  site.add('/mixed', page('mixed', parts('mixed')));
  for (const path of ['mixed.js', 'mixed.png', 'mixed']) site.fault('mixed-content', `${http}/${path}`);
  const policy = 'default-src https: ; upgrade-insecure-requests';
  site.add('/upgraded', { html: page('upgraded', parts('one')), headers: { 'content-security-policy': policy } });
  const meta = `<meta http-equiv="Content-Security-Policy" content="${policy}">`;
  site.add('/upgraded-by-meta', page('upgraded by meta', parts('two'), meta));
  site.add('http://site.example/plain-parts', page('plain parts', parts('three')), { listed: false });
  const links = `<a href="${http}/link">x</a><form action="${http}/form"></form><img src="http://localhost:3000/x.png" alt="">`;
  site.add('/no-parts', page('no parts', links));
  site.fine('parts by http that browsers upgrade, of a page by http, of the own machine, and links');
  site.add('/to-plain', { location: 'http://site.example/only/b', status: 302 }, { listed: false, linked: false });
  site.home.push(a('/to-plain'), a('http://site.example/up'));
  site.fault('redirect-insecure', '/to-plain');
  site.fault('link-local', 'http://localhost:3000/x.png');
  site.add('http://site.example/up', { location: `${SITE}/new`, status: 302 }, { listed: false, linked: false });
  site.fine('a redirect from http to https');
}

function plantSitemap(site: SiteBuilder): void {
  site.listed.push(
    { url: `${SITE}/listed-lost` },
    { url: `${SITE}/listed-moved` },
    { url: `${SITE}/listed-noindex` },
    { url: `${SITE}/listed-other` },
  );
  site.listed.push({ url: `${SITE}/denied/listed` });
  site.fault('sitemap-broken', '/listed-lost');
  site.add('/listed-moved', { location: '/new', status: 301 }, { linked: false, listed: false });
  site.fault('sitemap-redirect', '/listed-moved');
  site.add('/listed-noindex', page('listed noindex', '', '<meta name="robots" content="noindex">'), { listed: false });
  site.fault('sitemap-noindex', '/listed-noindex');
  site.add('/listed-other', page('listed other', '', '<link rel="canonical" href="/new">'), { listed: false });
  site.fault('sitemap-noncanonical', '/listed-other');
  site.fault('sitemap-blocked', '/denied/listed');
  site.add('/orphan', page('orphan', a('/orphan', 'itself')), { linked: false });
  site.fault('sitemap-orphan', '/orphan');
  site.add('/twin/', page('twin'), { linked: false });
  site.add('/twin', { location: '/twin/', status: 302 }, { linked: true, listed: false });
  site.fine('a listed page whose twin without slash is linked');
  site.add('/unlisted', page('unlisted'), { listed: false });
  site.fault('sitemap-unlisted', '/unlisted');
}

function plantOthers(site: SiteBuilder): void {
  const twin = page('copy one');
  site.add('/copy/1', twin);
  site.add('/copy/2', twin);
  site.fault('duplicate-content', '/copy/1');
  site.fault('title-duplicate', '/copy/1');
  site.fault('description-duplicate', '/copy/1');
  site.add('/copy/3', page('copy one', '', '<link rel="canonical" href="/copy/1">'), { listed: false });
  site.fine('a copy that names its original');
  site.add('/large', page('large', `<!--${'x'.repeat(2_100_000)}-->`));
  site.fault('page-large', '/large');
  for (let n = 1; n <= 8; n++)
    site.add(`/deep/${n}`, page(`deep ${n}`, n < 8 ? a(`/deep/${n + 1}`) : ''), { linked: n === 1, listed: false });
  for (let n = 1; n <= 8; n++) site.fault('sitemap-unlisted', `/deep/${n}`);
  for (let n = 6; n <= 8; n++) site.fault('page-deep', `/deep/${n}`);
  site.add('/ld', page('ld', '', '<script type="application/ld+json">{"a":1,}</script>'));
  site.fault('jsonld-invalid', '/ld');
  site.add(
    '/ld-cdata',
    page(
      'ld cdata',
      '',
      '<script type="application/ld+json">//<![CDATA[\n{"a":1}\n//]]></script><script type="application/ld+json"><!-- {"a":1} --></script>',
    ),
  );
  site.fine('JSON-LD in CDATA and in a comment');
  site.add(
    '/images',
    page(
      'images',
      '<img src="data:image/gif,x"><img src="data:image/gif,x" alt=""><img src="data:image/gif,x" width="1" height="1">' +
        '<p id="label">x</p><img src="data:image/gif,x" aria-labelledby="label">',
    ),
  );
  site.fault('image-no-alt', '/images');
  site.fine('images with an empty alt, of one pixel, and named by another element');
  const h1 = /<h1>.*?<\/h1>/.exec(page('headings'))![0];
  const headings = '<h2>part</h2>'.repeat(220);
  site.add('/headings', page('headings').replace(h1, '').replace('</main>', `${headings}${h1}</main>`));
  site.fine('a page with its h1 after hundreds of other headings');
}

/** Parts of pages, links that a crawl does not follow, and other sites: URLs that the audit requests. */
export function askedSite(): PlantedSite {
  const site = new SiteBuilder();
  const other = (path: string): string => `https://other.example${path}`;
  plantParts(site);
  const answers: Record<string, FakePage | string> = {
    '/fine': page('fine'),
    '/no-head': page('no head'),
    '/head-404': page('head 404'),
    '/lost': { status: 404 },
    '/gone': { status: 410 },
    '/wall': { status: 403 },
    '/slow-down': { status: 429 },
    '/linkedin': { status: 999 },
    '/moved': { location: other('/fine'), status: 301 },
    '/moved-lost': { location: other('/lost'), status: 301 },
    '/private/x': page('denied'),
    '/failing': { status: 500 },
  };
  for (const [path, answer] of Object.entries(answers)) {
    site.pages[other(path)] = answer;
    site.home.push(a(other(path), path));
  }
  site.pages[other('/robots.txt')] = { html: 'User-agent: *\nDisallow: /private/', contentType: 'text/plain' };
  site.pages[other('/fine-behind')] = page('fine behind');
  site.add('/go/fine', { location: other('/fine-behind'), status: 302 }, { listed: false });
  site.add('/go/lost', { location: other('/lost-behind'), status: 302 }, { listed: false });
  site.fault('redirect-broken', '/go/lost');
  site.fine('a redirect to another site');
  for (const path of ['/lost', '/gone', '/moved-lost']) site.fault('external-broken', other(path));
  site.faults.push(`~external-unverified ${other('/')}`, `~external-unreachable ${other('/failing')}`);
  for (const path of ['/fine', '/no-head', '/head-404', '/wall', '/slow-down', '/linkedin', '/moved', '/private/x']) {
    site.fine(`a link to another site: ${path}`);
  }
  return site.build();
}

function plantParts(site: SiteBuilder): void {
  const parts =
    '<img src="/i/lost.png" alt=""><img src="/i/there.png" srcset="/i/a,b.png 1x, /i/lost-2x.png 2x" alt="">' +
    '<picture><source srcset="/i/lost-source.webp"><img src="data:image/gif,x" alt=""></picture>' +
    '<video poster="/i/lost-poster.jpg" src="/i/there.mp4"><track src="/i/lost.vtt"></video><img src="" alt="">';
  const head =
    '<script src="/i/lost.js"></script><link rel="stylesheet" href="/i/lost.css"><link rel="icon" href="/i/there.ico">' +
    '<link rel="preconnect" href="https://nowhere.example:8443"><link rel="dns-prefetch" href="//nowhere.example"><link rel="manifest" href="/i/lost.webmanifest">';
  site.add('/parts', page('parts', parts, head));
  for (const path of ['there.png', 'a,b.png', 'there.mp4', 'there.ico']) {
    site.add(`/i/${path}`, { html: 'x', contentType: 'image/png' }, { linked: false, listed: false });
  }
  const lost = [
    'lost.png',
    'lost-2x.png',
    'lost-source.webp',
    'lost-poster.jpg',
    'lost.vtt',
    'lost.js',
    'lost.css',
    'lost.webmanifest',
  ];
  for (const path of lost) site.fault('resource-broken', `/i/${path}`);
  site.fine('a comma in srcset, preconnect, dns-prefetch, an empty src');
  site.home.push(a('/nofollow-lost', 'x', ' rel="nofollow"'), a('/nofollow-there', 'x', ' rel="nofollow"'));
  site.add('/nofollow-there', page('nofollow there'), { linked: false, listed: false });
  site.fault('link-broken', '/nofollow-lost');
  site.add('/canonical', page('canonical', '', '<link rel="canonical" href="/unlinked-lost">'), { listed: false });
  site.fault('canonical-broken', '/unlinked-lost');
  site.pages[`${SITE}/slashed/`] = { location: '/slashed', status: 301 };
  site.add('/slashed', page('slashed', '', '<link rel="canonical" href="/slashed/">'), { listed: false });
  site.fault('canonical-redirect', '/slashed/');
  const versions = (de: string): string =>
    `<link rel="alternate" hreflang="en" href="/slashed-en"><link rel="alternate" hreflang="de" href="${de}">`;
  site.pages[`${SITE}/slashed-de/`] = { location: '/slashed-de', status: 301 };
  site.add('/slashed-en', page('slashed en', '', versions('/slashed-de/')));
  site.add('/slashed-de', page('slashed de', '', versions('/slashed-de')));
  site.fault('hreflang-broken', '/slashed-de/');
  site.fault('hreflang-no-return', '/slashed-en');
  site.add('/forms', page('forms', '<form action="/search"><input name="q"></form><form action="/lost-form"></form>'));
  site.pages[`${SITE}/search`] = { status: 422 };
  site.fine('a form whose target wants its fields');
  site.fault('link-broken', '/lost-form');
  const shell = (name: string): string =>
    page('the shop', `<p>Nothing was found here for you, ${name}.</p>`).replace('Title of the shop', 'Shop');
  for (const name of ['a', 'b']) site.add(`/shop/${name}`, shell('dear reader'), { listed: false });
  site.pages[`${SITE}/shop/*`] = shell('dear reader');
  for (const name of ['a', 'b']) site.fault('soft-404', `/shop/${name}`);
  site.fine('pages that are none with one title, description and content');
  // Names that are not there lead to the log-in page, or to the home page.
  site.add('/members/login', page('sign in', '<input type="password">', '<meta name="robots" content="noindex">'), {
    listed: false,
  });
  site.pages[`${SITE}/members/*`] = { location: '/members/login', status: 302 };
  site.fine('a page to which a random name redirects');
  site.add('/slash/a/', shell('dear buyer'), { listed: false });
  site.pages[`${SITE}/slash/a/*`] = { location: '+/', status: 301 };
  site.pages[`${SITE}/slash/a/*/`] = shell('dear buyer');
  site.fault('soft-404', '/slash/a/');
}
