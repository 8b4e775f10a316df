import { mix } from '../../bench/lib/made-page.js';

/** A page of a site whose pages all have one template. */
export interface TemplatePage {
  readonly url: string;
  readonly title: string;
  readonly headings: readonly string[];
  readonly text: string;
  /** The URL of the original, if this page is a copy with another date. */
  readonly copyOf?: string;
}

/** The common parts of all pages of a template, and the parts that differ. */
export interface Template {
  readonly host: string;
  readonly pageOf: (n: number) => {
    readonly title: string;
    readonly headings: readonly string[];
    readonly facts: string;
  };
}

const NAMES =
  'oak pine elm birch cedar maple ash beech walnut cherry alder larch rowan hazel willow poplar lime yew box fir'.split(
    ' ',
  );
const PLACES = 'harbour bridge market station castle park mill church square garden tower quay gate field'.split(' ');
const number = (seed: number, n: number, most: number): number => mix(seed, n) % most;
const name = (n: number): string =>
  `${NAMES[n % NAMES.length]!} ${PLACES[Math.floor(n / NAMES.length) % PLACES.length]!}`;

/** Menus, notices and footers: 114 words. */
const AROUND = Array.from(
  { length: 114 },
  (_, i) => `${PLACES[i % PLACES.length]}${NAMES[(i * 7) % NAMES.length]}`,
).join(' ');

/** Templates in which a page differs from the others in some twenty of 134 words. */
export const TEMPLATES: Readonly<Record<string, Template>> = {
  shop: {
    host: 'shop.example',
    pageOf: (n) => ({
      title: `Table ${n} of ${NAMES[n % NAMES.length]} – Shop`,
      headings: [`Table ${n} of ${NAMES[n % NAMES.length]}`],
      facts: `Table ${n} of ${NAMES[n % NAMES.length]} price ${50 + number(1, n, 900)}.00 weight ${10 + number(2, n, 60)} kg`,
    }),
  },
  'shop with one title': {
    host: 'same-title.example',
    pageOf: (n) => ({
      title: 'Shop',
      headings: ['Menu', 'Basket', `A lamp like ${name(n)}`],
      facts: `A lamp like ${name(n)} made of steel and glass by hand in our own works`,
    }),
  },
  weather: {
    host: 'weather.example',
    pageOf: (n) => ({
      title: 'Weather today',
      headings: ['Weather today', 'Forecast'],
      facts: `${name(n)} morning ${number(3, n, 40) - 10} °C wind ${number(4, n, 90)} km/h rain ${number(5, n, 100)} % noon ${number(6, n, 40) - 10} °C`,
    }),
  },
  timetable: {
    host: 'trains.example',
    pageOf: (n) => ({
      title: 'Timetable',
      headings: ['Timetable'],
      facts: Array.from({ length: 12 }, (_, i) => `${5 + i}:${10 + number(7 + i, n, 50)}`).join(' '),
    }),
  },
  'sports table': {
    host: 'league.example',
    pageOf: (n) => ({
      title: 'Results',
      headings: ['Results'],
      facts: Array.from(
        { length: 5 },
        (_, i) => `${NAMES[number(20 + i, n, 20)]} ${number(30 + i, n, 6)} ${number(40 + i, n, 6)}`,
      ).join(' '),
    }),
  },
};

/** Pages of a template. Every fourth has a copy with another date. */
export function templatePages({ host, pageOf }: Template, count: number): TemplatePage[] {
  return Array.from({ length: count }, (_, n) => {
    const { title, headings, facts } = pageOf(n);
    const url = `http://${host}/${n}`;
    const onDay = (day: number): string => `${title}\n${facts}\nupdated 2026-05-${day} ${AROUND}`;
    const page: TemplatePage = { url, title, headings, text: onDay(10 + (n % 10)) };
    const copy = { ...page, url: `${url}?print`, text: onDay(20 + (n % 10)), copyOf: url };
    return n % 4 === 0 ? [page, copy] : [page];
  }).flat();
}
