// The configuration of the template, for pages in plain Markdown whose links are those of another site.
import config from './docusaurus.config.js';

export default { ...config, markdown: { format: 'detect' }, onBrokenLinks: 'ignore', onBrokenAnchors: 'ignore' };
