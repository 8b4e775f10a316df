import type { Settings } from '../../../config/index.js';
import type { Tables } from '../../../webtable/index.js';
import type { RobotsStore } from '../../fetch/index.js';

/** Keeps each robots.txt in the table of hosts, by origin. */
export function createRobotsStore({ hosts: { robots } }: Pick<Tables, 'hosts'>): RobotsStore {
  return {
    get: async (origin) => (await robots.get([origin]))[0],
    put: (origin, file) => robots.put(new Map([[origin, file]])),
  };
}

/** The names under which the crawler is looked up in a robots.txt, the preferred first. */
export function robotsAgents({ http }: Pick<Settings, 'http'>): readonly string[] {
  return [http.agentName, ...http.robotsAgents];
}
