export { openOutput, type OutputFile } from './target/output-file.js';
export { csvRecord, looksLikeFormula } from './pages/csv.js';
