// Makes packages/parse/html/main/model.ts, the constants of the verdicts on blocks of text, from two public sets, which stay outside of the
// project:
//   node scripts/main-content/train.mjs <folder of the Go module github.com/markusmobius/go-trafilatura> <folder of Scrapinghub's
//   article-extraction-benchmark> [--check]
// `--check` writes nothing: it measures by cross-validation on the tuning part, and prints the scores.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { setup } from '../setup.mjs';
import { loadLibrary, readBlocks } from './blocks.mjs';
import { checkModel } from './check.mjs';
import { modelText, randomOf, trainModel } from './model.mjs';
import { articlePages, comparisonPages } from './pages.mjs';

const [module, folder, check] = process.argv.slice(2);
if (folder === undefined) throw new Error('expected the folders of two sets, see the first lines of this file');
setup();
const library = await loadLibrary();
const read = (pages) => pages.map((page) => readBlocks(page, library)).filter((page) => page !== undefined);
const [fragments, articles] = [read(comparisonPages(module)), read(articlePages(folder))];
if (check) checkModel(fragments, articles, library);
else {
  const model = trainModel([...fragments, ...articles], library, randomOf(1));
  const file = new URL('../../packages/parse/html/main/model.ts', import.meta.url);
  writeFileSync(fileURLToPath(file), modelText(model, library));
}
