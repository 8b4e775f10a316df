import { rowKeyOf, type ChangeKind, type LogItem, type OpenContext } from '../../packages/webcrawl/internal.js';

/** The URL of a made change. */
export const madeUrl = (name: string): string => `http://docs.example.com/${name}`;

/** Writes changes of pages into the log, as one batch of updatedb would. */
export async function writeChanges(
  { tables }: Pick<OpenContext, 'tables'>,
  names: readonly string[],
  { at, kinds = ['content'], title = 'Title' }: { at: number; kinds?: readonly ChangeKind[]; title?: string },
): Promise<void> {
  const { changes } = tables;
  const batchId = `${at}-made`;
  const batch = await changes.begin(batchId, at);
  const items = names.map((name): LogItem => ({
    kind: 'page',
    rowKey: rowKeyOf(madeUrl(name)),
    change: { kinds, to: at, after: { is: 'page', http: 200, title } },
  }));
  await changes.write(batch, items);
  await changes.end([batchId]);
}
