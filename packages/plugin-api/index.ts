export * from './public.js';
export { RULES_PLUGIN, type CompileTableRules } from './table-rules.js';
export { applyUrlChain, filterUrl, normalizeUrl, type UrlVerdict } from './url-chain.js';
export { linkVerdicts } from './link-verdicts.js';
export { traceUrl } from './url-trace.js';
export { isPluginError, type SomeProtocolCodes } from './outcome-codes.js';
