import { VERSION } from '../../core/index.js';
import type { AuditFinding, AuditReport, AuditSummary } from '../report.js';
import { inPieces, type AuditWriter, type WriteOptions } from './writer.js';

export const writeJson: AuditWriter = async (report, put, options) => {
  const out = inPieces(put);
  await out.add(`${JSON.stringify(head(report.summary)).slice(0, -1)},"findings":[`);
  let separator = '\n';
  for await (const finding of report.findings) {
    await out.add(separator);
    await addFinding(out, report, finding, options);
    separator = ',\n';
  }
  await out.add('\n]}\n');
  await out.end();
  return undefined;
};

export const writeNdjson: AuditWriter = async (report, put, options) => {
  const out = inPieces(put);
  await out.add(`${JSON.stringify(head(report.summary))}\n`);
  for await (const finding of report.findings) {
    await addFinding(out, report, finding, options);
    await out.add('\n');
  }
  await out.end();
  return undefined;
};

async function addFinding(
  { add }: ReturnType<typeof inPieces>,
  { sourcesOf }: Pick<AuditReport, 'sourcesOf'>,
  finding: AuditFinding,
  { sources = false }: WriteOptions,
): Promise<void> {
  if (!sources) return add(JSON.stringify(finding));
  const {
    sources: { total },
    ...rest
  } = finding;
  await add(`${JSON.stringify(rest).slice(0, -1)},"sources":{"total":${total},"shown":[`);
  let separator = '';
  for await (const source of sourcesOf(finding)) {
    await add(separator + JSON.stringify(source));
    separator = ',';
  }
  await add(']}}');
}

function head({ version, ...summary }: AuditSummary): object {
  return { version, tool: `webcrawl ${VERSION}`, ...summary };
}
