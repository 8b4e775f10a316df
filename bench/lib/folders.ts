import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of this checkout, from this file or from its compiled form in dist/bench/lib. */
export const ROOT = fileURLToPath(new URL(import.meta.url.endsWith('.ts') ? '../../' : '../../../', import.meta.url));
/** The folder of the benchmarks. */
export const BENCH = join(ROOT, 'bench');
/** The folder into which `bench/install.sh` puts programs, packages and sets of pages. */
export const PEERS = join(BENCH, '.peers');
