export * from './public.js';
export { audit } from './audit.js';
export { auditFacts } from './facts/plugin.js';
export { ignoreFindings, ignoreRules, tellFindings } from './ignoring.js';
