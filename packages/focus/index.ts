export type { PrefixFigures, PrefixNode, PrefixSelection } from './statistics/prefix-node.js';
export {
  FINDER_FIELDS,
  type Candidate,
  type CandidateFinder,
  type CreateFinder,
  type DomainFacts,
  type FinderRow,
  type ProposalReason,
} from './candidates/candidate.js';
export { propose, type ProposedDomain, type ProposeOptions, type ProposeReport } from './proposals/propose.js';
export { applyProposals, readProposals, type ApplyProposalsOptions } from './proposals/apply-proposals.js';
