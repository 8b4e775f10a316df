import type { Settings } from '../../../config/index.js';
import type { Tables } from '../../../webtable/index.js';
import type { RobotsStore } from '../../fetch/index.js';

/** Stores each robots.txt in the table `hosts`, by origin. */
export function createRobotsStore({ hosts: { robots } }: Pick<Tables, 'hosts'>): RobotsStore {
  return {
    get: async (origin) => (await robots.get([origin]))[0],
    put: (origin, file) => robots.put(new Map([[origin, file]])),
  };
}

/** Returns the agent names to look up in a robots.txt. The preferred name is first. */
export function robotsAgents({ http }: Pick<Settings, 'http'>): readonly string[] {
  return [http.agentName, ...http.robotsAgents];
}
