export * from '../../plugin-api/public.js';
export * from '../../plugins/index.js';
export { defaultPlugins } from './default-plugins.js';
export {
  httpProtocol,
  type ConnectOptions,
  type HttpExtras,
  type HttpProtocol,
  type Lookup,
  type RobotsLine,
} from '../../fetch/index.js';
export {
  htmlParser,
  documentParser,
  textParser,
  xmlParser,
  type ParseSettings,
  type DocumentExtras,
} from '../../parse/index.js';
