// Measures the verdicts by cross-validation: no page is judged by a model that has seen another page of its host.
import { countFragments, countShingles } from './label.mjs';
import { applyModel, foldsByHost, randomOf, trainModel } from './model.mjs';

const FOLDS = 5;
/** Each seed divides the hosts in another way. */
const SEEDS = [1, 2];

/**
 * Prints precision, recall and F1 of the pages with fragments, by cross-validation, and of articles by a model that has seen none of them.
 * `chances` are the verdicts alone; `kept` is the content that the project keeps.
 */
export function checkModel(fragments, articles, library) {
  for (const seed of SEEDS) {
    const random = randomOf(seed);
    const folds = foldsByHost([...fragments, ...articles], FOLDS, random);
    const counts = { chances: noCounts(), kept: noCounts() };
    for (let fold = 0; fold < FOLDS; fold++) {
      const inFold = (_, i) => folds[i] === fold;
      const test = fragments.filter(inFold);
      const train = [...fragments, ...articles].filter((...page) => !inFold(...page));
      const model = trainModel(train, library, random);
      for (const page of test) {
        const chances = applyModel(model, page, library);
        addCounts(
          counts.chances,
          page,
          Array.from(chances, (chance) => chance >= 0.5),
        );
        addCounts(counts.kept, page, library.keptBlocks(page.page, chances, page.options));
      }
    }
    console.log(`fragments, seed ${seed}: chances ${scores(counts.chances)}, kept ${scores(counts.kept)}`);
  }
  const hosts = new Set(articles.map(({ host }) => host));
  const model = trainModel(
    fragments.filter(({ host }) => !hosts.has(host)),
    library,
    randomOf(1),
  );
  const found = articles.map((page) => {
    const kept = library.keptBlocks(page.page, applyModel(model, page, library), page.options);
    // The articles of that set have no titles.
    return countShingles(page, page.texts.filter((_, i) => kept[i] && i !== page.page.title).join(' '));
  });
  const mean = (numbers) => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;
  const precision = mean(found.flatMap((page) => page.precision ?? []));
  console.log(`articles: ${figures(precision, mean(found.map(({ recall }) => recall)))}`);
}

const noCounts = () => ({ right: 0, missing: 0, wrong: 0 });

function addCounts(counts, page, kept) {
  const found = countFragments(page, page.texts.filter((_, i) => kept[i]).join(' '));
  for (const name of Object.keys(counts)) counts[name] += found[name];
}

function scores({ right, missing, wrong }) {
  return figures(right / (right + wrong), right / (right + missing));
}

function figures(precision, recall) {
  const f1 = (2 * precision * recall) / (precision + recall);
  return `P ${precision.toFixed(4)} R ${recall.toFixed(4)} F1 ${f1.toFixed(4)}`;
}
