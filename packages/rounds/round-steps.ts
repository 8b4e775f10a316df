import type { Tables, CrawlContext } from '../core/index.js';
import type { RoundStep } from './runner.js';

/** Returns the id of the oldest unfinished batch. Returns undefined if all batches are finished. */
export async function nextBatch({ batches }: Pick<Tables, 'batches'>): Promise<string | undefined> {
  const [oldest] = await batches.list();
  return oldest?.batchId ?? (await batches.listUpdated())[0]?.batchId;
}

/** Whether the table shows that a step is done in all shards. A fetch is done when its pages are parsed too. */
export async function isStepDone(
  { tables: { batches } }: Pick<CrawlContext, 'tables'>,
  step: RoundStep,
  batchId: string,
): Promise<boolean> {
  const header = await batches.find(batchId);
  // If no page was due, generate has removed the batch.
  if (!header) return step !== 'generate';
  // Workers parse pages while they fetch, so a fetch includes the parse.
  return (await batches.isDone(batchId, step)) && (step !== 'fetch' || batches.isDone(batchId, 'parse'));
}
