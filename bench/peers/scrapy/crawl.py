"""Crawls a site with Scrapy: JSON lines with URL, title and links, and every body in one file.

The last line of standard output is the count of pages, as JSON.
"""

import argparse
import json
import re
from pathlib import Path
from urllib.parse import urldefrag, urlsplit

import scrapy
from scrapy.crawler import CrawlerProcess
from scrapy.http import TextResponse

LINKS = "//a/@href | //area/@href | //frame/@src | //iframe/@src"


class Pages(scrapy.Spider):
    name = "pages"

    def __init__(self, task, **kwargs):
        super().__init__(**kwargs)
        self.task = task
        self.hosts = {urlsplit(seed).hostname for seed in task.seeds.split()}
        self.reject = re.compile(task.reject)
        # Checked before a request is made: this is faster than Scrapy's own filter, which first makes and hashes a request.
        self.seen = set(task.seeds.split())
        self.bodies = open(Path(task.out, "bodies"), "wb", buffering=1 << 20)
        self.pages = 0

    async def start(self):
        for seed in self.task.seeds.split():
            yield scrapy.Request(seed, dont_filter=True)

    def wanted(self, url):
        if url in self.seen or not url.startswith("http") or self.reject.search(url):
            return False
        if self.task.stay == "host" and urlsplit(url).hostname not in self.hosts:
            return False
        self.seen.add(url)
        return True

    def parse(self, response):
        self.pages += 1
        offset = self.bodies.tell()
        self.bodies.write(response.body)
        title, links = None, []
        if isinstance(response, TextResponse):
            title = response.xpath("//title/text()").get()
            for href in dict.fromkeys(response.xpath(LINKS).getall()):
                try:
                    link = urldefrag(response.urljoin(href.strip())).url
                    links.append(link)
                    if self.wanted(link):
                        yield scrapy.Request(link, dont_filter=True)
                except ValueError:
                    continue
        length = len(response.body)
        yield {"url": response.url, "title": title, "links": links, "offset": offset, "length": length}

    def closed(self, reason):
        self.bodies.close()


def main():
    parser = argparse.ArgumentParser()
    for name in ("seeds", "out", "stay", "reject"):
        parser.add_argument(f"--{name}", required=True)
    parser.add_argument("--concurrency", type=int, default=64)
    task = parser.parse_args()
    process = CrawlerProcess(
        {
            "CONCURRENT_REQUESTS": task.concurrency,
            "CONCURRENT_REQUESTS_PER_DOMAIN": task.concurrency,
            "DOWNLOAD_DELAY": 0,
            "ROBOTSTXT_OBEY": False,
            "COOKIES_ENABLED": False,
            "TELNETCONSOLE_ENABLED": False,
            "DOWNLOAD_MAXSIZE": 0,
            "DOWNLOAD_WARNSIZE": 0,
            "LOG_LEVEL": "ERROR",
            "FEEDS": {str(Path(task.out, "pages.jsonl")): {"format": "jsonlines"}},
        }
    )
    crawler = process.create_crawler(Pages)
    process.crawl(crawler, task=task)
    process.start()
    print(json.dumps({"pages": crawler.spider.pages}))


main()
