import type { Settings } from '../../../config/index.js';

/** The settings that the parsers read, a part of `Settings`. */
export interface ParseSettings {
  readonly parser: Pick<
    Settings['parser'],
    | 'timeout'
    | 'characterEncodingDefault'
    | 'htmlFormUseAction'
    | 'htmlOutlinksIgnoreTags'
    | 'htmlOutlinksRelations'
    | 'textLimit'
  >;
  readonly db: Pick<Settings['db'], 'maxAnchorLength' | 'maxOutlinkLength'> &
    Partial<Pick<Settings['db'], 'changesKeptDays'>>;
  readonly http: Pick<Settings['http'], 'agentName'>;
}
