import { randomNumbers } from '../../support/web/fake-web.js';

/** Pages of made sites, the same for the same number. What is content is known: its words begin with the name of the part. */

const WORDS =
  'the harbour keeps a record of each tide and every ship that enters when water is high so that pilots know which channel they may use and how long it stays open for traffic'.split(
    ' ',
  );

function sentences(random: () => number, count: number): string {
  const sentence = (): string => {
    const words = Array.from(
      { length: 8 + Math.floor(random() * 12) },
      () => WORDS[Math.floor(random() * WORDS.length)]!,
    );
    return `${words.join(' ')}, ${Math.floor(random() * 90)} in all.`;
  };
  return Array.from({ length: count }, sentence).join(' ');
}

const menu =
  '<ul class="menu">' +
  ['Home', 'Start', 'Guide', 'Files'].map((name) => `<li><a href="/${name}">${name}</a></li>`).join('') +
  '</ul>';

/** A page of a manual without a generator. One of four has code. It has a heading above a short list of links, which articles lose. */
export function manualPage(i: number, code = i % 4 === 0): string {
  const random = randomNumbers(i + 1);
  const pre = code
    ? `<pre>open(${i})\nread(${i}, lines)\nclose(${i})\nopen(${i}, again)\nreturn ${i} + lines</pre>`
    : '';
  return `<title>Command ${i}</title><div class="top">${menu}</div><div class="page"><div class="body"><h1>Command ${i}</h1>
    <p>${sentences(random, 2)}</p>${pre}<h2>Options ${i}</h2><p><a href="/o${i}">set-${i}</a></p><p><a href="/q${i}">quiet-${i}</a></p>
    <p>${sentences(random, 1)}</p></div></div><div class="footer">Made by the harbour office</div>`;
}

/** The same page with comments of its readers below it. */
export function commentedManualPage(i: number): string {
  const random = randomNumbers(i + 4000);
  const note = (n: number): string =>
    `<div class="k5"><b>Ben${n}</b> ${n} years ago<p>reply${i} ${sentences(random, 1)}</p><a href="#r">Answer</a></div>`;
  const notes = [0, 1, 2].map(note).join('');
  return manualPage(i).replace(
    '</div></div><div class="footer">',
    `<div class="b6"><h3>Notes</h3>${notes}</div></div></div><div class="footer">`,
  );
}

/** A post with comments and teasers. Each second one has code, as much as in a manual. */
export function postPage(i: number): string {
  const random = randomNumbers(i + 1000);
  const pre = i % 2 ? '' : `<pre>${'const tide = read(ship);\n'.repeat(6)}log(${i})</pre>`;
  const comments = Array.from(
    { length: 4 },
    (_, n) =>
      `<div class="k7"><b>Ada${n}</b> ${n} hours ago<p>reply${i} ${sentences(random, 1)}</p><a href="#r">Answer</a></div>`,
  );
  const teasers = Array.from(
    { length: 4 },
    () =>
      `<div class="k3"><a href="/x"><h4>${sentences(random, 1).slice(0, 40)}</h4></a><p>teaser${i} ${sentences(random, 1).slice(0, 90)}…</p></div>`,
  );
  return `<title>Post ${i}</title><div class="top">${menu}</div><div class="page"><div class="story"><h1>Post ${i}</h1><p>${sentences(random, 3)}</p>
    <p>${sentences(random, 3)}</p>${pre}<p>${sentences(random, 3)}</p></div><div class="b2"><h3>Comments</h3>${comments.join('')}</div>
    <div class="b4"><h3>Related</h3>${teasers.join('')}</div></div><div class="foot">© Harbour blog, all rights reserved</div>`;
}

/** A product with a table of its own, and a note on delivery that all products have. */
export function productPage(i: number): string {
  const random = randomNumbers(i + 2000);
  return `<title>Lamp ${i}</title><div class="top">${menu}</div><div class="product"><h1>Lamp ${i}</h1><div class="price">€ ${i}.90</div>
    <div class="text"><p>${sentences(random, 2)}</p></div><h2>Specification</h2><table><tr><th>Weight</th><td>${i} kg</td></tr><tr><th>Number</th><td>AB-${i}</td></tr></table>
    <div class="service"><p>We ship within two working days by parcel service to all countries, and free of charge from fifty euros on.</p></div></div>
    <div class="foot">© Example Shop, all prices include VAT</div>`;
}

/** A page whose class names no other page has. */
export function tenantPage(i: number): string {
  const random = randomNumbers(i + 3000);
  const name = (part: string): string => `${part}${String.fromCharCode(97 + (i % 26), 97 + Math.floor(i / 26))}`;
  return `<title>Tenant ${i}</title><div class="${name('nav')}">${menu}</div><div class="${name('box')}"><h1>Tenant ${i}</h1><p class="${name('text')}">${sentences(random, 4)}</p>
    <pre class="${name('code')}">${'tide = read(ship)\n'.repeat(8)}</pre></div>`;
}

/** The pages of a made site by URL. */
export function site(start: string, count: number, page: (i: number) => string): Record<string, string> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`${start}p${i}`, page(i)]));
}
