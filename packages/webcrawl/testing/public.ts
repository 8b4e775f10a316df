export { fakeWeb, type FakePage, type FakeWeb } from './fake-web.js';
export { openTestCrawl, TEST_START, type TestCrawl, type TestCrawlOptions } from './test-crawl.js';
