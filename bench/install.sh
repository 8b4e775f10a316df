#!/usr/bin/env bash
# Installs what the benchmarks `crawl`, `dates`, `link-check`, `main-content` and `markdown` compare with, all below bench/:
# Crawlee, Docusaurus and Node 24 (npm), Scrapy (pip), Colly (Go), spider (Rust), and GNU wget2 and the server with the manuals that it
# serves (Debian packages, unpacked and not installed). The script lists what it cannot install, and the benchmarks leave it
# out. A second run installs only what is missing. `bench/install.sh nginx relevance` installs only these.
set -uo pipefail
cd "$(dirname "$0")" || exit 1

bench=$PWD
peers=$bench/.peers
mkdir -p "$peers"
missing=()
only=" $* "
node_package=$(node -p '`node-${process.platform}-${process.arch}`')

# install <name> <file that exists after the installation> <function that installs it>
install() {
  [[ $only = '  ' || $only = *" $1 "* ]] || return
  if [ -e "$2" ]; then
    echo "bench: $1 is there" >&2
    return
  fi
  echo "bench: installing $1 …" >&2
  if ! (set -e; "$3") >"$peers/$1.log" 2>&1 || [ ! -e "$2" ]; then
    tail -n 3 "$peers/$1.log" >&2
    missing+=("$1")
  fi
}

crawlee() {
  npm ci --ignore-scripts --no-audit --no-fund
}

# A plain package without an install script.
node24() {
  npm install --prefix "$peers/node24" --no-save --no-audit --no-fund --ignore-scripts "$node_package@24"
  "$peers/node24/node_modules/$node_package/bin/node" --version
}

scrapy() {
  python3 -m venv "$peers/scrapy"
  "$peers/scrapy/bin/pip" install --quiet --requirement peers/scrapy/requirements.txt
}

colly() {
  (cd peers/colly && go build -o "$peers/colly/colly" .)
}

# Downloads the available packages: other releases of Debian do not have all of them. Debian removes a version when it releases the next.
one_by_one() {
  local package
  for package in "$@"; do
    apt-get download -qq "$package" || apt-get download -qq "${package%%=*}" || echo "bench: no package $package here"
  done
}

# debian <folder> <package…>: unpacks packages there.
debian() {
  local into=$1 work
  shift
  work=$(mktemp -d)
  (cd "$work" && { apt-get download -qq "$@" || { apt-get update -qq && apt-get download -qq "$@"; } || one_by_one "$@"; })
  mkdir -p "$into.new"
  for file in "$work"/*.deb; do dpkg -x "$file" "$into.new"; done
  rm -rf "$work" "$into"
  mv "$into.new" "$into"
}

# Some 250 crates, which take half an hour on two cores, so other work goes first.
spider() {
  nice -n 19 cargo build --release --locked --manifest-path peers/spider/Cargo.toml --target-dir "$peers/spider"
}

nginx() {
  debian "$peers/nginx" nginx
  "$peers/nginx/usr/sbin/nginx" -v
}

# The other packages are libraries that a system may lack.
wget2() {
  debian "$peers/wget2" wget2 libwget0 libgpgme11 libassuan0 libgpg-error0
  peers/wget2/crawl.sh --version
}

manuals() {
  debian "$peers/manuals" python3.11-doc postgresql-doc-15 libboost1.74-doc debian-reference-common debian-reference-en
}

# The same manuals in English, Chinese, Japanese, Korean and Russian, if translated, and that of Rust's library.
relevance() {
  debian "$peers/relevance" debian-reference-{common,en,ja,zh-cn} debian-faq debian-faq-{ja,ru,zh-cn} debian-handbook \
    maint-guide maint-guide-{ja,ru,zh-cn} installation-guide-amd64 developers-reference developers-reference-{ja,ru} \
    debian-policy debian-policy-ja aptitude-doc-{en,ja,ru} gimp-help-{en,ja,ko,ru,zh-cn} libreoffice-help-{en-us,ja,ko,ru,zh-cn} rust-doc
}

# For the benchmark `markdown`: the manuals of manual-boxes.json, 210 MB, 2.4 GB unpacked.
boxed_manuals() {
  local packages
  mapfile -t packages < <(node -p 'JSON.parse(fs.readFileSync("manual-boxes.json")).map((manual) => manual.package).filter(Boolean).join("\n")' | sort -u)
  debian "$peers/boxed-manuals" "${packages[@]}"
}

# The manual of npm as the template of Docusaurus shows it.
docusaurus() {
  local site=$peers/docusaurus
  mkdir -p "$site"
  cp peers/docusaurus/* "$site"
  cd "$site"
  npm install --no-audit --no-fund --ignore-scripts
  cp -r node_modules/create-docusaurus/templates/shared/{blog,src,static} .
  cp -r node_modules/create-docusaurus/templates/classic/{src,*.js} .
  rm -rf docs && cp -r node_modules/npm/docs/content docs
  NO_UPDATE_NOTIFIER=1 npx --no-install docusaurus build --config manual.config.mjs
  rm -rf node_modules .docusaurus
}

# For the benchmark `main-content`: other extractors, and the pages.
extractors() {
  npm install --prefix "$peers/extractors" --no-save --no-audit --no-fund --ignore-scripts \
    @mozilla/readability@0.6.0 linkedom@0.18.12 defuddle@0.19.4
}

imports_trafilatura() {
  "$peers/trafilatura/bin/python" -c 'import trafilatura'
}

trafilatura() {
  python3 -m venv "$peers/trafilatura"
  "$peers/trafilatura/bin/pip" install --quiet --requirement peers/trafilatura/requirements.txt
  imports_trafilatura
}

comparison() {
  local module
  module=$(cd "$peers" && go mod download -json github.com/markusmobius/go-trafilatura@v1.12.2 | node -p 'JSON.parse(fs.readFileSync(0)).Dir')
  ln -sfn "$module" "$peers/comparison"
}

articles() {
  git clone --quiet --depth 1 https://github.com/scrapinghub/article-extraction-benchmark "$peers/articles"
}

# For the benchmark `dates`: htmldate, and the pages.
htmldate() {
  python3 -m venv "$peers/htmldate"
  "$peers/htmldate/bin/pip" install --quiet --requirement peers/htmldate/requirements.txt
}

date_pages() {
  local module
  module=$(cd "$peers" && go mod download -json github.com/markusmobius/go-htmldate@v1.10.1 | node -p 'JSON.parse(fs.readFileSync(0)).Dir')
  ln -sfn "$module" "$peers/date-pages"
}

# For the benchmark `link-check`.
linkchecker() {
  python3 -m venv "$peers/linkchecker"
  "$peers/linkchecker/bin/pip" install --quiet --requirement peers/linkchecker/requirements.txt
}

# Some 400 crates, which take twenty minutes on two cores.
lychee() {
  nice -n 19 cargo install --locked --quiet lychee --version 0.24.2 --root "$peers/lychee"
}

install crawlee node_modules/@crawlee/cheerio crawlee
install node24 "$peers/node24/node_modules/$node_package/bin/node" node24
install scrapy "$peers/scrapy/bin/scrapy" scrapy
# The programs are built again if their source is newer.
[ "$peers/colly/colly" -nt peers/colly/main.go ] || rm -f "$peers/colly/colly"
install colly "$peers/colly/colly" colly
[ "$peers/spider/release/crawl" -nt peers/spider/src/main.rs ] || rm -f "$peers/spider/release/crawl"
install spider "$peers/spider/release/crawl" spider
install wget2 "$peers/wget2/usr/bin/wget2" wget2
install nginx "$peers/nginx/usr/sbin/nginx" nginx
install manuals "$peers/manuals/usr/share/doc" manuals
install relevance "$peers/relevance/usr/share/doc/rust-doc" relevance
install extractors "$peers/extractors/node_modules/defuddle" extractors
# Its files may exist without all packages that it imports.
imports_trafilatura 2>/dev/null || rm -rf "$peers/trafilatura"
install trafilatura "$peers/trafilatura/bin/trafilatura" trafilatura
install comparison "$peers/comparison/test-files/comparison" comparison
install articles "$peers/articles/ground-truth.json" articles
install htmldate "$peers/htmldate/bin/htmldate" htmldate
install date-pages "$peers/date-pages/test-files/comparison" date_pages
install linkchecker "$peers/linkchecker/bin/linkchecker" linkchecker
install lychee "$peers/lychee/bin/lychee" lychee
install boxed-manuals "$peers/boxed-manuals/usr/share/doc" boxed_manuals
install docusaurus "$peers/docusaurus/build/docs" docusaurus

if [ "${#missing[@]}" -gt 0 ]; then
  echo "bench: could not install ${missing[*]}; the logs are in bench/.peers" >&2
  exit 1
fi
