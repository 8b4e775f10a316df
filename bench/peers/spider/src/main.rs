// Crawls a site with the crate spider: lines with URL, title and links, and every body in one file, as much as the others
// store. Each host is its own website, because spider stays on the host of a website. The last line of standard output is the
// count of distinct pages, as JSON.
use std::collections::{HashMap, HashSet};
use std::fmt::Write as _;
use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};
use std::thread;
use std::time::Duration;

use spider::page::Page;
use spider::tokio;
use spider::tokio::sync::broadcast::{error::RecvError, Receiver};
use spider::tokio::sync::mpsc;
use spider::website::Website;

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Maximum number of pages that wait for the writing thread. Further pages are lost, and the crawl fails.
const WAITING: usize = 16_384;
const BUFFER: usize = 1 << 20;

#[tokio::main]
async fn main() {
    let mut options: HashMap<String, String> = HashMap::new();
    let mut args = std::env::args().skip(1);
    while let (Some(name), Some(value)) = (args.next(), args.next()) {
        options.insert(name, value);
    }
    let option = |name: &str| options.get(name).unwrap_or_else(|| panic!("expected {name}")).clone();
    let concurrency: usize = option("--concurrency").parse().expect("--concurrency is a number");

    let (pages, stored) = mpsc::unbounded_channel();
    let out = PathBuf::from(option("--out"));
    let writer = thread::spawn(move || write_pages(stored, &out));
    let mut crawls = Vec::new();
    let seeds = option("--seeds");
    // There is no common limit: a website ends if others have used up the limit.
    let limit = concurrency.div_ceil(seeds.split_whitespace().count());
    for seed in seeds.split_whitespace() {
        let mut website = Website::new(seed);
        website
            .with_respect_robots_txt(false)
            .with_request_timeout(Some(Duration::from_secs(30)))
            .with_return_page_links(true)
            .with_concurrency_limit(Some(limit))
            .with_blacklist_url(Some(vec![option("--reject").into()]));
        if option("--stay") == "any" {
            website.with_external_domains(Some(std::iter::once("*".to_string())));
        }
        let found = website.subscribe(WAITING);
        let pages = pages.clone();
        let pass = tokio::spawn(pass_on(found, pages));
        crawls.push(tokio::spawn(async move {
            website.crawl().await;
            website.unsubscribe();
            drop(website);
            pass.await.expect("pages are passed on")
        }));
    }
    drop(pages);
    for crawl in crawls {
        crawl.await.expect("a crawl ends");
    }
    let count = writer.join().expect("pages are written");
    println!("{{\"pages\":{count}}}");
}

async fn pass_on(mut found: Receiver<Page>, pages: mpsc::UnboundedSender<Page>) {
    loop {
        match found.recv().await {
            Ok(page) => pages.send(page).expect("the writer waits"),
            Err(RecvError::Closed) => return,
            Err(RecvError::Lagged(lost)) => panic!("{lost} pages were lost"),
        }
    }
}

fn write_pages(mut stored: mpsc::UnboundedReceiver<Page>, out: &Path) -> usize {
    let create = |name: &str| BufWriter::with_capacity(BUFFER, File::create(out.join(name)).expect("a file"));
    let (mut lines, mut bodies) = (create("pages.jsonl"), create("bodies"));
    let (mut seen, mut offset, mut line) = (HashSet::new(), 0, String::new());
    while let Some(page) = stored.blocking_recv() {
        if page.status_code.as_u16() != 200 || !seen.insert(page.get_url().to_string()) {
            continue;
        }
        let body = page.get_html_bytes_u8();
        let title = page.get_metadata().as_ref().and_then(|found| found.title.as_deref()).unwrap_or("");
        line.clear();
        line.push_str("{\"url\":");
        put_text(&mut line, page.get_url());
        line.push_str(",\"title\":");
        put_text(&mut line, title);
        line.push_str(",\"links\":[");
        for (i, link) in page.page_links.iter().flat_map(|links| links.iter()).enumerate() {
            if i > 0 {
                line.push(',');
            }
            put_text(&mut line, link.as_ref());
        }
        writeln!(line, "],\"offset\":{offset},\"length\":{}}}", body.len()).expect("a line");
        lines.write_all(line.as_bytes()).expect("a line is written");
        bodies.write_all(body).expect("a body is written");
        offset += body.len();
    }
    lines.flush().expect("lines are written");
    bodies.flush().expect("bodies are written");
    seen.len()
}

/// Appends a text as a JSON string.
fn put_text(line: &mut String, text: &str) {
    line.push('"');
    for character in text.chars() {
        match character {
            '"' => line.push_str("\\\""),
            '\\' => line.push_str("\\\\"),
            control if control < ' ' => write!(line, "\\u{:04x}", control as u32).expect("text"),
            other => line.push(other),
        }
    }
    line.push('"');
}
