import type { Tables } from '../../webtable/index.js';
import type { CrawlContext } from '../jobs/index.js';
import type { RoundStep } from './runner.js';

/** The oldest batch that is not at its end; undefined where there is none. */
export async function nextBatch({ batches }: Pick<Tables, 'batches'>): Promise<string | undefined> {
  const [oldest] = await batches.list();
  return oldest?.batchId ?? (await batches.listUpdated())[0]?.batchId;
}

/** Whether the table says that nothing is left to do of a step, in any shard; a fetch is done when its pages are parsed, too. */
export async function isStepDone(
  { tables: { batches } }: Pick<CrawlContext, 'tables'>,
  step: RoundStep,
  batchId: string,
): Promise<boolean> {
  const header = await batches.find(batchId);
  // A batch for which nothing was due may be gone.
  if (!header) return step !== 'generate';
  // Pages are parsed as they are fetched.
  return (await batches.isDone(batchId, step)) && (step !== 'fetch' || batches.isDone(batchId, 'parse'));
}
