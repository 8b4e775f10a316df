#!/usr/bin/env bash
# Crawls a site with GNU wget2, which stores each body as a file, but no titles and links. It takes the options of the other
# peers; the last line of standard output is the count of pages of status 200, as JSON.
set -uo pipefail

peer=$(cd "$(dirname "$0")/../../.peers/wget2" && pwd) || exit 1
libraries=$(find "$peer" -name '*.so.*' -printf '%h\n' | sort -u | paste -sd:)
wget2() {
  LD_LIBRARY_PATH=$libraries "$peer/usr/bin/wget2" --no-config "$@"
}

if [ "${1:-}" = --version ]; then
  wget2 --version
  exit
fi
while [ $# -gt 1 ]; do
  case $1 in
    --seeds) seeds=$2 ;;
    --stay) stay=$2 ;;
    --out) out=$2 ;;
    --concurrency) threads=$2 ;;
    --reject) reject=$2 ;;
  esac
  shift 2
done
[ "$stay" = any ] && span=on || span=off
# One URL on each line, followed by status, sizes and times.
pages=$out/pages.csv

# It follows only the links that the others follow, and neither reads nor stores anything for later runs.
# shellcheck disable=SC2086 # Seeds are separated by spaces.
wget2 --quiet --directory-prefix="$out" \
  --recursive --level=0 --span-hosts=$span --robots=off --max-threads="$threads" --tries=1 --timeout=30 \
  --follow-tags=a/href,area/href,frame/src,iframe/src --ignore-tags=audio,body,embed,form,img,input,link,meta,object,script,source,style,table,td,th,track,video \
  --filter-urls --regex-type=pcre --reject-regex="$reject" \
  --no-compression --no-cookies --no-hsts --no-hpkp --no-ocsp --progress=none --stats-site=csv:"$pages" $seeds
status=$?
# 8: some answers were errors, because some links lead nowhere.
[ $status = 0 ] || [ $status = 8 ] || exit $status
echo "{\"pages\":$(grep -cE ',200(,[0-9]+){8}$' "$pages")}"
