import type { Settings } from '../../../config/index.js';

/** `name/version (description; url; email)`; empty parts are left out with their punctuation. */
export function userAgent(settings: Settings['http']): string {
  const product = settings.agentVersion ? `${settings.agentName}/${settings.agentVersion}` : settings.agentName;
  const comment = [settings.agentDescription, settings.agentUrl, settings.agentEmail].filter(Boolean).join('; ');
  return comment ? `${product} (${comment})` : product;
}
