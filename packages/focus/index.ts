export type { PrefixFigures, PrefixNode, PrefixSelection } from './statistics/prefix-node.js';
