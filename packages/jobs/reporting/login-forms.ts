import { rowKeyOf, type Tables } from '../../../webtable/index.js';
import type { Findings, FindingsOfRun } from './findings.js';

/** Maximum number of redirect targets whose body is read for a form with a password, and of forms in a report. */
const [MAX_READ_TARGETS, MAX_LOGIN_FORMS] = [10, 3];
const PASSWORD_FIELD = /<input\b[^<>]*\btype\s*=\s*["']?password\b/i;

/** Returns the redirect targets of a run that have a form with a password, those of the most pages first. Absent: there are none. */
export async function findLoginForms(
  { pages }: Pick<Tables, 'pages'>,
  findings: FindingsOfRun,
): Promise<Pick<Findings, 'loginForms'>> {
  const found = [];
  for (const target of findings.redirectTargets().slice(0, MAX_READ_TARGETS)) {
    if (found.length === MAX_LOGIN_FORMS) break;
    const row = await pages.get(rowKeyOf(target.url), ['content']);
    if (row?.content && PASSWORD_FIELD.test(Buffer.from(row.content).toString('latin1'))) found.push(target);
  }
  return found.length > 0 ? { loginForms: found } : {};
}
