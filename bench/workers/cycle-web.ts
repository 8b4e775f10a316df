// The web of the benchmark `cycle`, as a plugin: every page exists, with ten links.
import { linksOf } from '../lib/cycle-table.js';
import { htmlAnswer, madePage, mix, webWithoutNetwork } from '../lib/made-page.js';

export default webWithoutNetwork('cycle-web', (host, path) =>
  htmlAnswer(madePage(mix(Number(host.slice(1, 8)), Number(path.slice(1))), linksOf(host, path), 150)),
);
