// Crawls a site with Colly: JSON lines with URL, title and links, and every body in its own append-only store, as much as the
// others store. The last line of standard output is the count of distinct pages, as JSON.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"time"

	"github.com/gocolly/colly/v2"
)

type page struct {
	URL    string   `json:"url"`
	Title  string   `json:"title"`
	Links  []string `json:"links"`
	Offset int64    `json:"offset"`
	Length int      `json:"length"`
}

type store struct {
	mutex  sync.Mutex
	lines  *bufio.Writer
	bodies *bufio.Writer
	offset int64
	seen   map[string]bool
}

func (s *store) put(p page, body []byte) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	// Colly's check for visited URLs may let one URL pass twice.
	if s.seen[p.URL] {
		return
	}
	s.seen[p.URL] = true
	p.Offset, p.Length = s.offset, len(body)
	line, err := json.Marshal(p)
	if err == nil {
		_, err = s.bodies.Write(body)
	}
	if err == nil {
		s.lines.Write(line)
		err = s.lines.WriteByte('\n')
	}
	if err != nil {
		log.Fatal(err)
	}
	s.offset += int64(len(body))
}

func main() {
	seeds := flag.String("seeds", "", "the first URLs, with spaces between them")
	out := flag.String("out", "", "a folder for what is stored")
	concurrency := flag.Int("concurrency", 64, "requests in flight")
	stay := flag.String("stay", "host", "host or any")
	reject := flag.String("reject", "", "a regular expression of URLs to pass over")
	flag.Parse()

	var hosts []string
	for _, seed := range strings.Fields(*seeds) {
		start, err := url.Parse(seed)
		if err != nil {
			log.Fatal(err)
		}
		hosts = append(hosts, start.Hostname())
	}
	s := &store{lines: create(*out, "pages.jsonl"), bodies: create(*out, "bodies"), seen: map[string]bool{}}
	options := []colly.CollectorOption{colly.Async(true), colly.DisallowedURLFilters(regexp.MustCompile(*reject))}
	if *stay == "host" {
		options = append(options, colly.AllowedDomains(hosts...))
	}
	c := colly.NewCollector(options...)
	c.MaxBodySize = 0
	c.IgnoreRobotsTxt = true
	c.SetRequestTimeout(30 * time.Second)
	c.WithTransport(&http.Transport{
		DialContext:         (&net.Dialer{Timeout: 10 * time.Second}).DialContext,
		MaxIdleConns:        4 * *concurrency,
		MaxIdleConnsPerHost: *concurrency,
		DisableCompression:  true,
	})
	if err := c.Limit(&colly.LimitRule{DomainGlob: "*", Parallelism: *concurrency}); err != nil {
		log.Fatal(err)
	}

	var known sync.Map
	c.OnRequest(func(r *colly.Request) { r.Ctx.Put("page", &page{}) })
	c.OnHTML("title", func(e *colly.HTMLElement) {
		if p := e.Request.Ctx.GetAny("page").(*page); p.Title == "" {
			p.Title = e.Text
		}
	})
	c.OnHTML("a[href], area[href], frame[src], iframe[src]", func(e *colly.HTMLElement) {
		link := e.Attr("href")
		if link == "" {
			link = e.Attr("src")
		}
		// For Colly, a URL with a fragment is another page.
		link, _, _ = strings.Cut(e.Request.AbsoluteURL(link), "#")
		if link == "" {
			return
		}
		p := e.Request.Ctx.GetAny("page").(*page)
		p.Links = append(p.Links, link)
		// Colly would check each of them again, with all its filters.
		if _, isKnown := known.LoadOrStore(link, true); isKnown {
			return
		}
		// Not e.Request.Visit, with which requests would share a context. An error means that the link is known or rejected.
		_ = c.Visit(link)
	})
	c.OnScraped(func(r *colly.Response) {
		p := r.Ctx.GetAny("page").(*page)
		p.URL = r.Request.URL.String()
		s.put(*p, r.Body)
	})
	for _, seed := range strings.Fields(*seeds) {
		if err := c.Visit(seed); err != nil {
			log.Fatal(err)
		}
	}
	c.Wait()
	for _, file := range []*bufio.Writer{s.lines, s.bodies} {
		if err := file.Flush(); err != nil {
			log.Fatal(err)
		}
	}
	fmt.Printf("{\"pages\":%d}\n", len(s.seen))
}

func create(folder, name string) *bufio.Writer {
	file, err := os.Create(filepath.Join(folder, name))
	if err != nil {
		log.Fatal(err)
	}
	return bufio.NewWriterSize(file, 1<<20)
}
