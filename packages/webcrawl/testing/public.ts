/** Parts for tests of programs that crawl: a web in memory, and a clock that the test moves. */
export { fakeWeb, type FakePage, type FakeWeb } from './fake-web.js';
export { openTestCrawl, TEST_START, type TestCrawl, type TestCrawlOptions } from './test-crawl.js';
