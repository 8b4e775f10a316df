import { serialize } from 'parse5';
import { describe, expect, it } from 'vitest';
import { settingsSchema } from '../../../config/index.js';
import { htmlDocument } from '../../../packages/parse/index.js';
import type { HtmlDocument } from '../../../packages/plugin-api/index.js';
import { parsePage } from '../../support/parsing/parse-page.js';

const open = (inside: string) => `<template shadowrootmode=open>${inside}</template>`;

/** The text of a page, which is also the text of its flat tree. */
function text(html: string): string {
  const { text: found } = parsePage(html);
  expect(textIn(flatTree(html)).replace(/\s/g, '')).toBe(found.replace(/\s/g, ''));
  return found;
}

function flatTree(html: string): HtmlDocument {
  const input = { content: Buffer.from(html), contentType: 'text/html', charset: 'utf-8' };
  return htmlDocument(input, settingsSchema.parse({}))!;
}

function textIn(node: HtmlDocument['childNodes'][number] | HtmlDocument): string {
  if (!('childNodes' in node)) return node.nodeName === '#text' && 'value' in node ? node.value : '';
  return node.childNodes
    .map((child) => {
      expect(child.parentNode).toBe(node);
      return textIn(child);
    })
    .join('');
}

const links = (html: string) => parsePage(html).outlinks.map(({ url }) => url.replace('http://h.com', ''));

describe('a declarative shadow root', () => {
  it.each(['open', 'closed', 'OPEN', '"Closed"'])('of mode %s is part of the page, text and links', (mode) => {
    const page = parsePage(
      `<x-card><template shadowrootmode=${mode}><p>Hello <a href=/s>there</a></template></x-card>`,
    );
    expect(page.text).toBe('Hello there');
    expect(page.outlinks).toEqual([{ url: 'http://h.com/s', anchor: 'there' }]);
  });

  it.each(['', 'shadowrootmode', 'shadowrootmode=""', 'shadowrootmode=opened', 'shadowroot=open', 'mode=open'])(
    'is not made from a template with %j, which is left out',
    (attribute) => expect(text(`<div>a<template ${attribute}>b</template>c</div>`)).toBe('ac'),
  );

  it('is only attached to elements that may have one', () => {
    const hosts = 'article aside blockquote div footer h1 h6 header main nav p section span x-y my-el.é';
    for (const name of hosts.split(' ')) expect(text(`<${name}>${open('in')}</${name}>`), name).toBe('in');
    for (const name of 'a b ul li form button label font-face xy details custom'.split(' ')) {
      expect(text(`<${name}>${open('in')}out</${name}>`), name).toBe('out');
    }
    expect(text(`<body>${open('in')}</body>`)).toBe('in');
    expect(text(`<head>${open('in')}</head>out`)).toBe('out');
    expect(text(`<table>${open('in')}<tr><td>${open('in')}out</table>`)).toBe('out');
    expect(text(`<svg><foreignObject>${open('in')}</foreignObject></svg>out`)).toBe('out');
    expect(text(`<math><mi>${open('in')}x</mi></math>`)).toBe('x');
  });

  it('is the first of its host; a second template is an ordinary one', () => {
    expect(text(`<div>${open('one')}${open('two')}</div>`)).toBe('one');
    expect(text(`<div>light${open('shadow')}</div>`)).toBe('shadow light');
  });

  it('may contain others, but not directly', () => {
    expect(text(`<div>${open(`a${open('b')}<p>${open('c')}</p>`)}</div>`)).toBe('a c');
    expect(text(`<template><div>${open('a')}</div></template>b`)).toBe('b');
  });

  it('shows the content of its host in its slots', () => {
    const card = open('<h2><slot name=title>untitled</slot></h2> by <slot name=by>nobody</slot>: <slot></slot>.');
    expect(text(`<x-card>${card}one <i slot=title>Title</i>two</x-card>`)).toBe('Title by nobody: one two.');
    expect(text(`<x-card>${open('<slot>empty</slot>')}<!-- c --></x-card>`)).toBe('empty');
    expect(text(`<x-card>${open('<slot></slot>|<slot>second</slot>')}a</x-card>`)).toBe('a|second');
  });

  it('comes before content of the host without a slot', () => {
    expect(text(`<x-card><a href=/1 slot=no>c</a>${open('a')}b</x-card>`)).toBe('a cb');
    expect(links(`<x-card><a href=/1></a>${open('<a href=/2></a><slot name=x></slot>')}</x-card>`)).toEqual([
      '/2',
      '/1',
    ]);
  });

  it('passes slots on to a host within it', () => {
    const inner = `<x-b>${open('[<slot></slot>]')}<slot></slot></x-b>`;
    expect(text(`<x-a>${open(inner)}light</x-a>`)).toBe('[light]');
  });

  it('stays with its host if the parser moves the content of that', () => {
    expect(text(`<b><div>${open('in')}light</b>more</div>`)).toBe('in lightmore');
    expect(links(`<a href=/o><div>${open('<a href=/i>i</a>')}</a>light</div>`)).toEqual(['/o', '/i']);
  });

  it('contains no metadata of the page', () => {
    const head =
      '<title>no</title><base href=/no/><link rel=canonical href=/no><meta name=robots content=nofollow>' +
      '<meta name=description content=no><meta http-equiv=refresh content="0;url=/no">';
    const page = parsePage(`<title>yes</title><body><div>${open(`${head}<a href=x>x</a>`)}</div>`);
    expect(page).toMatchObject({ title: 'yes', metadata: {}, robots: { nofollow: false } });
    expect(page.canonical ?? page.refresh).toBeUndefined();
    expect(page.outlinks.map(({ url }) => url)).toEqual(['http://h.com/d/x']);
    expect(serialize(flatTree(`<div>${open(`<p>${head}</p>`)}</div>`))).not.toMatch(/(base|link|meta) /);
    const slotted = `<div>${open('<slot></slot>')}<meta name=description content=yes></div>`;
    expect(parsePage(slotted).metadata).toEqual({ description: 'yes' });
    expect(serialize(flatTree(slotted))).toContain('<slot><meta name="description" content="yes"></slot>');
  });

  it('does not exist in XHTML', () => {
    const html = `<html xmlns="http://www.w3.org/1999/xhtml"><body><div><template shadowrootmode="open">in</template>out</div></body></html>`;
    expect(parsePage(html, { contentType: 'application/xhtml+xml' }).text).toBe('out');
  });
});
