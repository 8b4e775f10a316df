import type { Settings } from '../../../config/index.js';

/** The settings that the parsers read; whole `Settings` fit. */
export interface ParseSettings {
  readonly parser: Pick<
    Settings['parser'],
    'timeout' | 'characterEncodingDefault' | 'htmlFormUseAction' | 'htmlOutlinksIgnoreTags' | 'textLimit'
  >;
  readonly db: Pick<Settings['db'], 'maxAnchorLength' | 'maxOutlinkLength'>;
  readonly http: Pick<Settings['http'], 'agentName'>;
}
