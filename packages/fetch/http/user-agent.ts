import type { Settings } from '../../../config/index.js';

/** Returns `name/version (description; url; email)`. Empty parts and their punctuation are left out. */
export function userAgent(settings: Settings['http']): string {
  const product = settings.agentVersion ? `${settings.agentName}/${settings.agentVersion}` : settings.agentName;
  const comment = [settings.agentDescription, settings.agentUrl, settings.agentEmail].filter(Boolean).join('; ');
  return comment ? `${product} (${comment})` : product;
}
